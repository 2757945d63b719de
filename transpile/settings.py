"""The environment, read here and nowhere else.

TRANSPILE            which target a launch runs on: reference, cpu, cuda, hip or auto
TRANSPILE_CACHE      where caches live; by default $XDG_CACHE_HOME/transpile or ~/.cache/transpile
TRANSPILE_CACHE_MB   how much a cache may hold, in MB (1024)
TRANSPILE_DEBUG      set: internal errors keep their traceback, and the commands of compilers are shown
TRANSPILE_TARGETS    those of a package's targets that setup.py is to build, with commas
CXX                  the C++ compiler
CUDA_HOME, CUDA_PATH where NVIDIA's toolkit is; ROCM_PATH, HIP_PATH: where AMD's is
CUDA_VISIBLE_DEVICES the GPUs of NVIDIA that there are, for the driver too; HIP_VISIBLE_DEVICES: those of AMD
NO_COLOR             set: plain text on a terminal too
COLUMNS              how wide help is; by default as wide as the terminal
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CACHE_MB: Final = 1024
COLUMNS: Final = 80


def target() -> str | None:
    """What TRANSPILE asks for, unchecked; None where it is unset or empty."""
    return os.environ.get("TRANSPILE") or None


def cache_directories() -> tuple[Path, ...]:
    """Where caches may live, best first. None of them need exist or be writable."""
    named = os.environ.get("TRANSPILE_CACHE")
    if named:
        return (Path(named).absolute(),)
    xdg = os.environ.get("XDG_CACHE_HOME")
    if xdg and os.path.isabs(xdg):
        return (Path(xdg) / "transpile",)
    home = os.path.expanduser("~")
    return (Path(home) / ".cache" / "transpile",) if os.path.isabs(home) else ()


def cache_bytes() -> int:
    """How much a cache may hold."""
    asked = os.environ.get("TRANSPILE_CACHE_MB", "")
    return (int(asked) if asked.isdecimal() else CACHE_MB) << 20


def has_own_cache() -> bool:
    """Whether the user says where caches live."""
    return bool(os.environ.get("TRANSPILE_CACHE"))


def packaged_targets() -> tuple[str, ...] | None:
    """What TRANSPILE_TARGETS asks for, unchecked; None where it is unset or empty."""
    words = os.environ.get("TRANSPILE_TARGETS", "").replace(",", " ").split()
    return tuple(words) or None


def compiler() -> str | None:
    """The C++ compiler that the user asks for, a program with optional arguments."""
    return os.environ.get("CXX", "").strip() or None


def hides_devices(variable: str) -> bool:
    """Whether the variable of a vendor's, CUDA_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES, leaves no device."""
    return os.environ.get(variable) in ("", "-1")


def cuda_folders() -> tuple[Path, ...]:
    """Where the user says that NVIDIA's toolkit is, best first."""
    return _folders("CUDA_HOME", "CUDA_PATH")


def rocm_folders() -> tuple[Path, ...]:
    """Where the user says that AMD's toolkit is, best first."""
    return _folders("ROCM_PATH", "HIP_PATH")


def _folders(*names: str) -> tuple[Path, ...]:
    return tuple(Path(os.environ[name]) for name in names if os.environ.get(name))


def nvcc_flags() -> tuple[str, ...]:
    """What nvcc takes from the environment by itself."""
    return tuple(os.environ.get(name, "") for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"))


def is_nvcc_told_its_compiler() -> bool:
    """Whether the environment names the C++ compiler that nvcc is to use."""
    prepended, appended, compiler = nvcc_flags()
    return bool(compiler) or "-ccbin" in f"{prepended} {appended}" or "--compiler-bindir" in f"{prepended} {appended}"


def keeps_asserts() -> bool:
    """Whether Python runs asserts: not under `python -O` or PYTHONOPTIMIZE."""
    return __debug__


def is_debug() -> bool:
    return bool(os.environ.get("TRANSPILE_DEBUG"))


def is_plain() -> bool:
    """Whether the user wants no colour, or the terminal has none."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def columns() -> int:
    """The width of the terminal, or of what stands for one."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    try:
        return os.get_terminal_size().columns or COLUMNS
    except OSError:
        return COLUMNS


def set_target(name: str) -> None:
    """Makes `name` the target of this process and of those that it starts."""
    os.environ["TRANSPILE"] = name
