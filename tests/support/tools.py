"""Where the compilers of the tests are. A test that needs one which is missing is skipped, and says so."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path
from typing import Final

import pytest

PACKAGED: Final = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin"
INSTALLED: Final = Path("/usr/local/cuda/bin")


def find(name: str) -> str | None:
    """The program's path: on PATH, as NVIDIA's wheels install it, or where its own installer puts it."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, (PACKAGED, INSTALLED))))


def tool(name: str) -> str:
    """The program's path. Skips the test where it is nowhere."""
    found = find(name)
    if found is None:
        pytest.skip(f"{name} is not installed: scripts/install-system-packages.sh and `make setup-test` bring it")
    return found
