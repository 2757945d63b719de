"""Finds compilers and runs them. Only this module starts processes: argument lists, no shell, always a time limit."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from transpile import settings

# Nothing here changes a value: contraction is off, and neither traps nor errno are looked at by anyone.
KERNEL_FLAGS: Final = (
    "-std=c++17",
    "-O3",
    "-ffp-contract=off",
    "-fno-trapping-math",
    "-fno-math-errno",
    "-fPIC",
    "-pthread",
)
HOST_FLAGS: Final = ("-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden")
# -Bsymbolic: an extension calls its own functions, whatever else the process has loaded under their names.
LINK_FLAGS: Final = ("-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,--build-id=none")
COMPILE_SECONDS: Final = 900.0
PROBE_SECONDS: Final = 20.0


class ToolchainMissingError(Exception):
    """No usable compiler; the message says what to install."""


@dataclass
class CompilerError(Exception):
    """A compiler refused text that we wrote, or did not end: our fault, not the user's."""

    command: tuple[str, ...]
    output: str
    folder: Path | None = None  # where the texts are kept that it refused

    def __str__(self) -> str:
        kept = f"\n(what was compiled is in {self.folder})" if self.folder is not None else ""
        return f"{shlex.join(self.command)}\n{self.output}{kept}"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler: `command` starts it; `version` names it and its release. Kernels are for `march`."""

    command: tuple[str, ...]
    version: str
    march: str = "native"

    @property
    def kernel_flags(self) -> tuple[str, ...]:
        return (*KERNEL_FLAGS, f"-march={self.march}")

    @property
    def name(self) -> str:
        return Path(self.command[-1]).name


def run(command: Sequence[str], *, seconds: float = COMPILE_SECONDS) -> str:
    """Runs a program to its end and returns what it printed. Raises CompilerError with the command."""
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired as error:
        raise CompilerError(tuple(command), f"did not end within {seconds:.0f} seconds") from error
    except OSError as error:
        raise CompilerError(tuple(command), str(error)) from error
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        raise CompilerError(tuple(command), output or f"ended with status {done.returncode}")
    return output


@cache
def find_compiler() -> Compiler:
    """The compiler of $CXX, else g++, else clang++. Raises ToolchainMissingError."""
    asked = settings.compiler()
    if asked is not None:
        words = shlex.split(asked)
        program = shutil.which(words[0])
        if program is None:
            raise ToolchainMissingError(f"CXX is '{asked}', and there is no program '{words[0]}'")
        return _identify((program, *words[1:]))
    for name in ("g++", "clang++", "c++"):
        program = shutil.which(name)
        if program is not None:
            return _identify((program,))
    raise ToolchainMissingError(
        "no C++ compiler was found: install g++ (Debian, Ubuntu: apt install g++) or clang++, or set CXX.\n"
        "`check`, `emit` and the reference need none; `pip install ziglang` and CXX='python -m ziglang c++' is a last "
        "resort"
    )


def _identify(command: tuple[str, ...]) -> Compiler:
    try:
        version = run([*command, "--version"], seconds=PROBE_SECONDS).splitlines()
    except CompilerError as error:
        raise ToolchainMissingError(f"the C++ compiler does not run: {error}") from error
    return Compiler(command, version[0] if version else "")


def compiler_for(march: str) -> Compiler:
    """As `find_compiler`, for the processors that the compiler calls `march`. Raises ValueError if it knows none."""
    compiler = replace(find_compiler(), march=march)
    if march != "native":
        try:
            run([*compiler.command, f"-march={march}", "-x", "c++", "-fsyntax-only", os.devnull], seconds=PROBE_SECONDS)
        except CompilerError as error:
            raise ValueError(error.output.splitlines()[0]) from None
    return compiler


@cache
def machine() -> str:
    """What -march=native depends on: a library that is shared between machines is built for each kind."""
    try:
        with open("/proc/cpuinfo", "rb") as file:
            first = file.read(8192).split(b"\n\n")[0].decode("ascii", "replace")
    except OSError:
        return os.uname().machine
    wanted = ("vendor_id", "cpu family", "model\t", "model name", "flags", "Features", "CPU implementer", "CPU part")
    return "\n".join(line for line in first.splitlines() if line.startswith(wanted))


def python_identity() -> str:
    """Which Python an extension is for."""
    return f"{sys.implementation.cache_tag} {extension_suffix()} {sys.hexversion:x}"


def extension_suffix() -> str:
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


def python_include() -> Path:
    """The folder of Python.h. Raises ToolchainMissingError."""
    folder = Path(sysconfig.get_paths()["include"])
    if not (folder / "Python.h").is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolchainMissingError(
            f"Python's headers are not installed ({folder}/Python.h); Debian, Ubuntu: apt install python{version}-dev"
        )
    return folder


def runtime_folder() -> Path:
    """The project's C++: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "runtime_cpp"
    return inside if inside.is_dir() else package.parent / "runtime_cpp"
