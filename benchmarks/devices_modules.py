"""Builds what the device benchmarks import: our modules, and the hand-written C++ that they are held against.

Everything goes into one folder and is built at the same time; what cannot be built is reported, and left out.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
NATIVE: Final = ROOT / "benchmarks" / "native"
EXAMPLES: Final = ("tiles", "saxpy", "norms")
ROW_SIZES: Final = (1024, 4096, 8192)  # the lanes that the kernels of examples/norms.py are built for
INSTANCES: Final = {"norms": [f"{kernel}:size={','.join(map(str, ROW_SIZES))}" for kernel in ("softmax", "layer_norm")]}
BUILD_SECONDS: Final = 120.0


def architecture() -> str:
    """What nvcc calls the first device: `sm_90`. Raises RuntimeError where there is none."""
    command = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise RuntimeError("nvidia-smi does not tell of a device") from error
    return "sm_" + told.split()[0].replace(".", "")


def nvcc() -> str:
    """The system's nvcc. Raises RuntimeError."""
    for found in (shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"):
        if found is not None and os.access(found, os.X_OK):
            return found
    raise RuntimeError("there is no nvcc")


def run(command: Sequence[str], environment: Mapping[str, str] | None = None, seconds: float = BUILD_SECONDS) -> str:
    """Runs a command of the benchmark and returns what it printed. Raises RuntimeError with its last words."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=seconds, check=False, env={**os.environ, **(environment or {})}
    )
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        telling = [line for line in words if "Error" in line or "error:" in line]
        raise RuntimeError((telling or words or [f"ended with status {done.returncode}"])[-1])
    return done.stdout


def python_path(*folders: Path | str) -> str:
    """PYTHONPATH with these folders first."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def our_build(source: Path, folder: Path, arch: str) -> list[str]:
    """The command that builds our module of a file of kernels."""
    command = [sys.executable, "-m", "transpile", "build", str(source), "--target", "cuda"]
    instances = [word for each in INSTANCES.get(source.stem, ()) for word in ("--instance", each)]
    return [*command, "--arch", arch, "-o", str(folder), *instances]


def _native_build(stem: str, folder: Path, arch: str) -> list[str]:
    include = sysconfig.get_paths()["include"]
    suffix = ".so" if stem == "staged" else str(sysconfig.get_config_var("EXT_SUFFIX"))
    flags = [
        "-O3",
        "-std=c++17",
        f"-arch={arch}",
        "-shared",
        "-cudart",
        "static",
        "-Xcompiler",
        "-fPIC",
        f"-I{include}",
    ]
    return [nvcc(), *flags, str(NATIVE / f"{stem}.cu"), "-o", str(folder / f"{stem}{suffix}")]


def build(folder: Path) -> list[str]:
    """Builds everything into `folder`; says what could not be built, and why."""
    arch = architecture()
    commands = {
        f"our module of examples/{stem}.py": our_build(ROOT / f"examples/{stem}.py", folder, arch) for stem in EXAMPLES
    }
    commands |= {
        f"benchmarks/native/{stem}.cu": _native_build(stem, folder, arch) for stem in ("floor", "bare", "staged")
    }

    def attempt(name: str) -> str | None:
        try:
            run(commands[name], {"PYTHONPATH": python_path(ROOT)})
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return f"{name} could not be built: {error}"
        return None

    with ThreadPoolExecutor(len(commands)) as pool:
        return [failure for failure in pool.map(attempt, commands) if failure is not None]


def module(folder: str | None, name: str) -> ModuleType:
    """A module that was built into `folder`. Raises ImportError."""
    if folder is None:
        raise ImportError(f"{name}: give --modules, or run devices.py")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def example(name: str) -> ModuleType:
    """A file of examples/, imported: its kernels run where TRANSPILE says."""
    folder = str(ROOT / "examples")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


def staged_library(folder: str | None) -> ctypes.CDLL:
    """The staged copies in C++. Raises OSError."""
    library = ctypes.CDLL(str(Path(folder or ".") / "staged.so"))
    address, count, number = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    library.staged_pool.restype = library.pinned.restype = address
    library.staged_pool.argtypes = [number, count, number]
    library.staged_close.argtypes = [address]
    library.staged_close.restype = None
    library.staged_saxpy.argtypes = [address, count, ctypes.c_double, address, address]
    library.staged_block_max.argtypes = [address, count, address, address]
    library.pinned.argtypes = [count]
    library.in_place_saxpy.argtypes = [count, ctypes.c_double, address, address]
    library.in_place_block_max.argtypes = [count, address, address]
    return library
