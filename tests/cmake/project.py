"""CMake projects of the tests: configured, built, and their programs run."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.tools import tool

ROOT: Final = Path(__file__).parents[2]
EXAMPLE: Final = ROOT / "examples" / "cmake"


class CommandError(AssertionError):
    """A command failed; the message is all that it printed."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with CMakeLists.txt, and the folder that it is built in."""

    source: Path
    build: Path

    def configure(self, *options: str, python: str = sys.executable) -> str:
        """What CMake said. Raises CommandError."""
        own = (f"-DTranspile_DIR={ROOT / 'cmake'}", f"-DPython_EXECUTABLE={python}")
        return run(tool("cmake"), "-S", str(self.source), "-B", str(self.build), *own, *options, folder=self.source)

    def make(self) -> str:
        """Raises CommandError."""
        return run(tool("cmake"), "--build", str(self.build), folder=self.source)

    def program(self, name: str) -> str:
        """Raises CommandError."""
        return run(str(self.build / name), folder=self.build)


def run(*command: str, folder: Path) -> str:
    """Everything that the command printed. Raises CommandError."""
    held = {name: value for name, value in os.environ.items() if name not in ("TRANSPILE", "CXX")}
    path = os.pathsep.join(filter(None, (str(ROOT), held.get("PYTHONPATH"))))
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
        env={**held, "PYTHONPATH": path, "HIP_PLATFORM": "amd"},
    )
    if done.returncode != 0:
        raise CommandError(done.stdout)
    return done.stdout
