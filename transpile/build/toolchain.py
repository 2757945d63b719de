"""Finds compilers and runs them. Only this module starts processes: argument lists, no shell, always a time limit."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

from transpile import settings
from transpile.build.faults import CompilerError as CompilerError
from transpile.build.faults import ToolchainMissingError as ToolchainMissingError
from transpile.build.faults import UnknownProcessorError as UnknownProcessorError
from transpile.build.packages import packaged_cuda as packaged_cuda
from transpile.build.processes import end_tree
from transpile.runtime import runtime_folder as runtime_folder

COMPILE_SECONDS: Final = 900.0
PROBE_SECONDS: Final = 20.0
SYSTEM_CUDA: Final = Path("/usr/local/cuda")
SYSTEM_ROCM: Final = Path("/opt/rocm")
CUDART: Final = "libcudart_static.a"
HIP_LIBRARY: Final = "libamdhip64.so"
NOTHING_CUDA: Final = ("-x", "cu", "-c", os.devnull, "-o", os.devnull)
# What compilers say where the disk is full, and where the system has stopped one of their programs.
FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")
KILLED: Final = re.compile(r"Killed signal terminated|died due to signal 9|unable to execute command: Killed")
# hipcc becomes a wrapper of nvcc where it finds one, unless it is told not to.
HIP_ENVIRONMENT: Final[Mapping[str, str]] = {"HIP_PLATFORM": "amd"}


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler: `command` starts it; `version` names it and its release. Kernels are for `march`."""

    command: tuple[str, ...]
    version: str
    march: str = "native"

    @property
    def name(self) -> str:
        return Path(self.command[-1]).name

    @property
    def is_clang(self) -> bool:
        """Whether it is clang, or made of it."""
        return any(word in self.version for word in ("clang", "oneAPI"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuCompiler:
    """nvcc or hipcc. `libraries` is the folder of the vendor's runtime, None where the linker finds it by itself."""

    program: str
    version: str
    libraries: Path | None


def run(
    command: Sequence[str],
    *,
    seconds: float = COMPILE_SECONDS,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> str:
    """Runs a program to its end, in `folder`, and returns what it printed. Raises CompilerError with the command,
    ToolchainMissingError where it was killed, OSError where the disk is full."""
    if settings.is_debug():
        told = [f"{name}={value}" for name, value in (environment or {}).items()]
        print("+", *told, shlex.join(command), file=sys.stderr)
    try:
        with subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
        ) as process:
            printed = _wait(process, seconds)
    except subprocess.TimeoutExpired as error:
        raise CompilerError(tuple(command), f"did not end within {seconds:.0f} seconds") from error
    except OSError as error:
        raise CompilerError(tuple(command), str(error)) from error
    output = printed.decode("utf-8", "replace")
    if process.returncode != 0:
        _blame_machine(command, process.returncode, output)
        raise CompilerError(tuple(command), output or f"ended with status {process.returncode}")
    return output


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    """What a process prints until it ends. Raises TimeoutExpired, with nothing left of it and what it started."""
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        end_tree(process.pid)
        raise
    except BaseException:
        process.kill()
        raise


def _blame_machine(command: Sequence[str], status: int, output: str) -> None:
    """Raises OSError or ToolchainMissingError where it was not the text that a compiler failed at."""
    if FULL.search(output):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), tempfile.gettempdir())
    if status == -signal.SIGKILL or KILLED.search(output):
        name = Path(command[0]).name
        raise ToolchainMissingError(f"{name} was killed: this machine may have too little memory for it")


# ---------------------------------------------------------------- C++


@cache
def find_compiler() -> Compiler:
    """The compiler of $CXX, else g++, else clang++. Raises ToolchainMissingError."""
    asked = settings.compiler()
    if asked is not None:
        try:
            words = shlex.split(asked)
        except ValueError as error:
            raise ToolchainMissingError(f"CXX is '{asked}', which is no command line: {error}") from None
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
    """As `find_compiler`, for the processors that the compiler calls `march`. Raises UnknownProcessorError too."""
    compiler = replace(find_compiler(), march=march)
    if march != "native":
        try:
            run([*compiler.command, f"-march={march}", "-x", "c++", "-fsyntax-only", os.devnull], seconds=PROBE_SECONDS)
        except CompilerError as error:
            raise UnknownProcessorError(error.output.splitlines()[0]) from None
    return compiler


# ---------------------------------------------------------------- nvcc


@cache
def find_nvcc() -> GpuCompiler:
    """nvcc of $CUDA_HOME or $CUDA_PATH, else of NVIDIA's packages beside this one, else on the PATH, else in
    /usr/local/cuda. Raises ToolchainMissingError."""
    program = next(nvcc_programs(), None)
    if program is None:
        raise ToolchainMissingError(
            "no nvcc was found: pip install 'transpile[cuda]' brings one (Linux, 104 MB), or install NVIDIA's CUDA "
            "toolkit and set CUDA_HOME or PATH"
        )
    try:
        version = run([program, "--version"], seconds=PROBE_SECONDS)
        folders = run([program, "--dryrun", *NOTHING_CUDA], seconds=PROBE_SECONDS)
    except CompilerError as error:
        raise ToolchainMissingError(f"nvcc does not run: {error}") from error
    release = re.search(r"release [\d.]+, V([\d.]+)", version)
    top = re.search(r"^#\$ TOP=(.*)$", folders, re.MULTILINE)
    roots = [Path(top[1].strip())] if top is not None else []
    searched = re.findall(r'"-L([^"]+)"', folders)
    libraries = _folder_of(CUDART, [*roots, Path(program).resolve().parents[1]], map(Path, searched))
    if libraries is None:
        raise ToolchainMissingError(
            f"{program} has no {CUDART} beside it, which modules are linked with: install the same release's CUDA "
            "runtime (pip: nvidia-cuda-runtime; NVIDIA's packages for Debian and Ubuntu: cuda-cudart-dev)"
        )
    return GpuCompiler(program=program, version=f"nvcc {release[1] if release else '?'}", libraries=libraries)


def nvcc_programs() -> Iterator[str]:
    """Every nvcc that is found, the one to take first."""
    folders = [folder / "bin" for folder in (*settings.cuda_folders(), *packaged_cuda())]
    for folder in folders:
        yield from _programs(folder / "nvcc")
    on_path = shutil.which("nvcc")
    if on_path is not None:
        yield on_path
    yield from _programs(SYSTEM_CUDA / "bin" / "nvcc")


def check_nvcc_arch(nvcc: GpuCompiler, arch: str) -> None:
    """Asks nvcc whether it compiles for the GPU. Raises UnknownProcessorError with those that it knows."""
    if re.fullmatch(r"sm_\d+[a-z]?", arch):
        select = f"-gencode=arch=compute_{arch[3:]},code={arch}"
        try:
            run([nvcc.program, "--dryrun", select, *NOTHING_CUDA], seconds=PROBE_SECONDS)
        except CompilerError:
            pass
        else:
            return
    known = ", ".join(list_nvcc_archs(nvcc))
    raise UnknownProcessorError(f"{nvcc.version} compiles for no GPU of that name; it knows {known}")


def list_nvcc_archs(nvcc: GpuCompiler) -> tuple[str, ...]:
    """The GPUs that it makes machine code for, oldest first: sm_75, sm_80, … Raises CompilerError."""
    said = run([nvcc.program, "--list-gpu-code"], seconds=PROBE_SECONDS).split()
    return tuple(sorted((word for word in said if word.startswith("sm_")), key=lambda word: int(word[3:])))


# ---------------------------------------------------------------- hipcc


@cache
def find_hipcc() -> GpuCompiler:
    """hipcc of $ROCM_PATH or $HIP_PATH, else on the PATH, else in /opt/rocm. Raises ToolchainMissingError."""
    program = next(hipcc_programs(), None)
    if program is None:
        raise ToolchainMissingError(
            "no hipcc was found: install AMD's ROCm and set ROCM_PATH or PATH (Debian, Ubuntu: apt install hipcc "
            "libamdhip64-dev rocm-device-libs); there is none on PyPI"
        )
    try:
        # It asks for the machine's GPU unless it is told of one, and complains where there is none.
        version = run(
            [program, "--version", "--offload-arch=gfx900"], seconds=PROBE_SECONDS, environment=HIP_ENVIRONMENT
        )
    except CompilerError as error:
        raise ToolchainMissingError(f"hipcc does not run: {error}") from error
    release = re.search(r"^HIP version: *(\S+)", version, re.MULTILINE)
    libraries = _folder_of(HIP_LIBRARY, [Path(program).parents[1], Path(program).resolve().parents[1]], ())
    return GpuCompiler(program=program, version=f"hipcc {release[1] if release else '?'}", libraries=libraries)


def hipcc_programs() -> Iterator[str]:
    """Every hipcc that is found, the one to take first."""
    for folder in settings.rocm_folders():
        yield from _programs(folder / "bin" / "hipcc")
    on_path = shutil.which("hipcc")
    if on_path is not None:
        yield on_path
    yield from _programs(SYSTEM_ROCM / "bin" / "hipcc")


def check_hip_arch(hipcc: GpuCompiler, arch: str) -> None:
    """Asks hipcc whether it compiles for the GPU. Raises UnknownProcessorError with its answer."""
    if re.fullmatch(r"gfx[0-9a-z-]+(:[a-z]+[+-])*", arch) is None:
        raise UnknownProcessorError("that is not how AMD names a GPU; gfx90a and gfx1030 are such names")
    command = [hipcc.program, f"--offload-arch={arch}", "-x", "hip", "-c", os.devnull, "-o", os.devnull, "-###"]
    try:
        said, fault = run(command, seconds=PROBE_SECONDS, environment=HIP_ENVIRONMENT), ""
    except CompilerError as error:
        said, fault = error.output, error.output.strip()
    refused = re.search(r"\berror: (.*)", said)  # clang may print one and end well
    if refused is not None:
        fault = refused[1]
    if fault:
        raise UnknownProcessorError(f"{hipcc.version}: {fault}")


# ---------------------------------------------------------------- folders


def _programs(path: Path) -> Iterator[str]:
    if path.is_file() and os.access(path, os.X_OK):
        yield str(path)


def _folder_of(library: str, roots: Sequence[Path], others: Iterable[Path]) -> Path | None:
    """The folder that holds a library: of a toolkit in `roots`, or one of `others`."""
    inside = (folder for root in roots for folder in (root / "lib64", root / "lib", *root.glob("targets/*-linux/lib")))
    return next((folder.resolve() for folder in (*inside, *others) if (folder / library).is_file()), None)


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
    return EXTENSION_SUFFIXES[0]


def python_include() -> Path:
    """The folder of Python.h. Raises ToolchainMissingError."""
    folder = Path(sysconfig.get_paths()["include"])
    if not (folder / "Python.h").is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolchainMissingError(
            f"Python's headers are not installed ({folder}/Python.h); Debian, Ubuntu: apt install python{version}-dev"
        )
    return folder
