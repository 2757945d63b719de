"""NVIDIA's compiler as a library: found, loaded through ctypes, and asked for machine code or PTX of emitted text.

It needs no GPU, no driver and no host compiler, and has no headers: what emitted text includes, it is given.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from transpile import settings
from transpile.build.faults import CompilerError, ToolchainMissingError, UnknownProcessorError
from transpile.build.packages import packaged_cuda
from transpile.runtime import runtime_folder

Form = Literal["cubin", "ptx"]

FLAGS: Final = ("-std=c++17", "-fmad=false")  # nothing here changes a value
# Its own cache, from CUDA 13 on, costs a look into the driver and a file in the user's home for what is kept here.
CACHELESS: Final = ("--no-cache", 13)
LINE_FLAG: Final = "-lineinfo"  # lets debuggers and profilers speak of the Python file
LIBRARY: Final = re.compile(r"libnvrtc\.so(\.[0-9.]+)?")
SYSTEM_FOLDERS: Final = (
    "/usr/local/cuda/lib64",
    f"/usr/lib/{os.uname().machine}-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
)
ADVICE: Final = (
    "no NVRTC was found, which compiles kernels while a program runs, and to PTX: pip install 'transpile[nvrtc]' "
    "brings it (Linux, 90 MB), and NVIDIA's CUDA toolkit has it (set CUDA_HOME)"
)


@dataclass(frozen=True, slots=True)
class Binary:
    """What was compiled, and what each name expression of the text is called in it."""

    image: bytes
    symbols: dict[str, str]


# ---------------------------------------------------------------- finding it


@cache
def find_nvrtc() -> Path | None:
    """The library of $CUDA_HOME or $CUDA_PATH, of NVIDIA's packages beside this one, of the system, or of the toolkit
    whose nvcc is on the PATH; None where there is none. Nothing is loaded."""
    for folder in _folders():
        found = _newest(folder)
        if found is not None:
            return found
    return None


def _folders() -> Iterator[Path]:
    for home in settings.cuda_folders():
        yield from (home / "lib64", home / "lib")
    yield from (root / "lib" for root in packaged_cuda())
    yield from (Path(entry, "nvidia", "cuda_nvrtc", "lib") for entry in sys.path if entry)  # of CUDA 12
    yield from map(Path, SYSTEM_FOLDERS)
    for folder in os.get_exec_path():
        if os.path.isfile(os.path.join(folder, "nvcc")):
            home = Path(os.path.realpath(os.path.join(folder, "nvcc"))).parents[1]
            yield from (home / "lib64", home / "lib")


def _newest(folder: Path) -> Path | None:
    """The library in a folder; of several releases the newest."""
    try:
        names = [name for name in os.listdir(folder) if LIBRARY.fullmatch(name)]
    except OSError:
        return None
    return folder / max(names, key=lambda name: [int(part) for part in re.findall(r"\d+", name)]) if names else None


def nvrtc_identity() -> str:
    """Names the compiler that would be used without loading it, which takes as long as the rest of a warm launch."""
    path = find_nvrtc()
    if path is None:
        return "none"
    real = os.path.realpath(path)
    found = os.stat(real)
    return f"{os.path.basename(real)} {found.st_size} {found.st_mtime_ns} {' '.join(FLAGS)}"


# ---------------------------------------------------------------- loading and asking it


@cache
def load_nvrtc() -> Nvrtc:
    """The compiler, loaded. Raises ToolchainMissingError."""
    path = find_nvrtc()
    if path is None:
        raise ToolchainMissingError(ADVICE)
    real = Path(os.path.realpath(path))
    try:
        # NVRTC opens its other half by name, which only finds one that is loaded, unless the system knows the folder.
        for other in sorted(real.parent.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(other))
        return Nvrtc(real, ctypes.CDLL(str(real)))
    except (OSError, AttributeError) as error:
        raise ToolchainMissingError(f"{path} does not load: {error}\n{ADVICE}") from error


class Nvrtc:
    """One loaded library."""

    def __init__(self, path: Path, library: ctypes.CDLL) -> None:
        self.path = path
        self._library = library
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.version = f"{major.value}.{minor.value}"
        flag, since = CACHELESS
        self._flags = (*FLAGS, flag) if major.value >= since else FLAGS
        self._headers = _headers()

    def archs(self) -> tuple[str, ...]:
        """The GPUs that it knows, oldest first: sm_75, sm_80, …"""
        count = ctypes.c_int()
        self._check(self._library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        found = (ctypes.c_int * count.value)()
        self._check(self._library.nvrtcGetSupportedArchs(found))
        return tuple(f"sm_{number}" for number in sorted(found))

    def nearest(self, arch: str) -> tuple[str, Form]:
        """What to compile to for a GPU: itself where it is known, an older one of its generation, whose code it runs,
        or PTX of the newest, which the driver compiles for what came later. Raises ToolchainMissingError."""
        known = self.archs()
        if arch in known:
            return arch, "cubin"
        number = _number(arch)
        older = [each for each in known if _number(each) < number]
        akin = [each for each in older if _number(each) // 10 == number // 10]
        if not older:
            raise ToolchainMissingError(
                f"NVRTC {self.version} ({self.path}) makes code from {known[0]} on, and this GPU is {arch}; an older "
                "release does: pip install nvidia-cuda-nvrtc-cu12, in the place of nvidia-cuda-nvrtc"
            )
        return (akin[-1], "cubin") if akin else (older[-1], "ptx")

    def compile(
        self,
        text: str,
        file: str,
        arch: str,
        expressions: Sequence[str],
        form: Form = "cubin",
        *,
        has_lines: bool = True,
    ) -> Binary:
        """The text for `arch`, an `sm_90`. `expressions` name the kernels whose symbols are wanted, in C++;
        `has_lines`: the text has `#line` directives, for the code to tell of.

        Raises UnknownProcessorError for an arch that this release does not know, CompilerError.
        """
        if re.fullmatch(r"sm_\d+[af]?", arch) is None or arch.rstrip("af") not in self.archs():
            raise UnknownProcessorError(f"NVRTC {self.version} knows no {arch}; it knows {', '.join(self.archs())}")
        virtual = arch.replace("sm_", "compute_") if form == "ptx" else arch
        options = (f"-arch={virtual}", *self._flags, *((LINE_FLAG,) if has_lines else ()))
        program = self._create(text, file)
        try:
            for expression in expressions:
                self._check(self._library.nvrtcAddNameExpression(program, expression.encode()))
            given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            if self._library.nvrtcCompileProgram(program, len(options), given) != 0:
                raise self._refused(program, text, file, options)
            image = self._bytes(program, "CUBIN" if form == "cubin" else "PTX")
            return Binary(image, {each: self._symbol(program, each) for each in expressions})
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _create(self, text: str, file: str) -> ctypes.c_void_p:
        program = ctypes.c_void_p()
        count = len(self._headers)
        texts = (ctypes.c_char_p * count)(*self._headers.values())
        names = (ctypes.c_char_p * count)(*(name.encode() for name in self._headers))
        created = self._library.nvrtcCreateProgram(
            ctypes.byref(program), text.encode(), file.encode(), count, texts, names
        )
        self._check(created)
        return program

    def _symbol(self, program: ctypes.c_void_p, expression: str) -> str:
        name = ctypes.c_char_p()
        self._check(self._library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(name)))
        assert name.value is not None
        return name.value.decode()

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(self._library[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
        found = ctypes.create_string_buffer(size.value)
        self._check(self._library[f"nvrtcGet{what}"](program, found))
        return found.raw if what == "CUBIN" else found.raw.rstrip(b"\0")

    def _refused(self, program: ctypes.c_void_p, text: str, file: str, options: Sequence[str]) -> CompilerError:
        log = self._bytes(program, "ProgramLog").decode("utf-8", "replace")
        error = CompilerError((str(self.path), *options, file), log)
        try:
            from tempfile import mkdtemp

            folder = Path(mkdtemp(prefix="transpile-failure-"))
            (folder / file).write_text(text, encoding="utf-8")
            (folder / "error.txt").write_text(str(error), encoding="utf-8")
        except OSError:
            return error
        return replace(error, folder=folder)

    def _check(self, status: Any) -> None:
        if status != 0:
            said: bytes = self._library.nvrtcGetErrorString(status)
            raise CompilerError((str(self.path),), said.decode("utf-8", "replace"))


def _number(arch: str) -> int:
    return int(arch.removeprefix("sm_").rstrip("af"))


def _headers() -> dict[str, bytes]:
    """What stands for the standard headers, by the name that a text includes."""
    folder = runtime_folder() / "nvrtc"
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.h"))}
