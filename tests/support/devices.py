"""Runs Python programs as if there were a GPU: a stand-in for NVIDIA's driver is found first."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.compiling import cache_folder, run_compiler

ROOT: Final = Path(__file__).parents[2]
FAKE: Final = Path(__file__).parent / "fake_driver"
TIME_LIMIT: Final = 120.0


@cache
def fake_driver() -> Path:
    """The folder that holds the stand-in's libcuda.so.1, compiled once for its sources."""
    sources = sorted(FAKE.glob("*.[ch]pp"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:32]
    folder = cache_folder() / f"driver-{digest}"
    library = folder / "libcuda.so.1"
    if not library.exists():
        folder.mkdir(exist_ok=True)
        made = folder / f"{os.getpid()}.so"
        programs = [str(path) for path in sources if path.suffix == ".cpp"]
        flags = ["-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
        run_compiler(["g++", *flags, "-Wl,-soname,libcuda.so.1", "-o", str(made), *programs])
        made.rename(library)
    return folder


def fake_hip() -> Path:
    """The folder of the same stand-in under the name of AMD's driver."""
    folder = fake_driver() / "hip"
    library = folder / "libamdhip64.so.7"
    if not library.exists():
        folder.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            library.symlink_to(fake_driver() / "libcuda.so.1")
    return folder


def cxx_program(source: Path) -> Path:
    """A C++ program of the tests that includes the engine's headers and drives the stand-in, compiled once."""
    runtime = ROOT / "runtime_cpp"
    read = [source, *sorted(runtime.rglob("*.hpp"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in read)).hexdigest()[:32]
    driver = fake_driver()
    program = cache_folder() / f"{source.stem}-{digest}-{driver.name}"
    if not program.exists():
        made = program.with_suffix(f".{os.getpid()}")
        flags = ["-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", str(runtime)]
        run_compiler(["g++", *flags, "-o", str(made), str(source), str(driver / "libcuda.so.1"), "-ldl"])
        made.rename(program)
    return program


def environment(**settings: object) -> dict[str, str]:
    """The environment of a program that has devices: FAKE_CUDA_DEVICES=2 as `devices=2`, and so on."""
    paths = [str(fake_driver()), os.environ.get("LD_LIBRARY_PATH", "")]
    own = {f"FAKE_CUDA_{name.upper()}": str(value) for name, value in settings.items()}
    return {**os.environ, **own, "LD_LIBRARY_PATH": ":".join(path for path in paths if path)}


def run_program(text: str, *arguments: str, env: Mapping[str, str] | None = None, **settings: object) -> str:
    """Runs a Python program where there are devices; what it printed. Raises AssertionError where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
        cwd=ROOT,
        env={**environment(**settings), **(env or {})},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"it ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
