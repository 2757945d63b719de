"""Compiles emitted text into shared libraries, once per content. A library stays in a cache folder between runs."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.tools import tool
from transpile.backends.table import BACKENDS

SUPPORT: Final = Path(__file__).parent
FIBRES: Final = SUPPORT / "cuda_on_cpu"
HIP_ON_CUDA: Final = SUPPORT / "hip_on_cuda"
TIME_LIMIT: Final = 300.0
WARNINGS: Final = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
LAUNCH: Final = re.compile(r"([A-Za-z_][\w:]*(?:<[^<>;{}]*>)?)\s*<<<(.*?)>>>\s*\((.*?)\);", re.DOTALL)
LAUNCH_LISTED: Final = re.compile(
    r"(cuda|hip)LaunchKernel\(\s*reinterpret_cast<const void \*>\((\w+)\),(.*?), list,(.*?)\);", re.DOTALL
)
END_OF_THREAD: Final = re.compile(r'asm volatile\("exit;"\);|__builtin_amdgcn_endpgm\(\);')
DYNAMIC_SHARED: Final = re.compile(r"extern\s+__shared__\s+([\w\s:]+?)\s*(\w+)\[\];")


class CompilerError(AssertionError):
    """A compiler refused emitted text, or warned."""


def cache_folder() -> Path:
    """Where compiled libraries are kept: `TRANSPILE_TEST_CACHE`, or a folder of this user's in the temporary one."""
    chosen = os.environ.get("TRANSPILE_TEST_CACHE")
    folder = Path(chosen) if chosen else Path(tempfile.gettempdir()) / f"transpile-tests-{os.getuid()}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def version(compiler: str) -> str:
    """What the compiler says of itself, or an empty string where there is none."""
    if shutil.which(compiler) is None:
        return ""
    done = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, timeout=60, check=False, env=hip_environment()
    )
    return done.stdout


def hip_environment() -> dict[str, str]:
    """hipcc becomes a wrapper of nvcc where it finds one, unless it is told not to."""
    return {**os.environ, "HIP_PLATFORM": "amd"}


def run_compiler(command: list[str]) -> str:
    """Runs a compiler; what it said. Raises CompilerError with the command where it fails."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
        env=hip_environment(),
        stdin=subprocess.DEVNULL,
    )
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise CompilerError(f"{' '.join(command)}\n{said[:6000]}")
    return said


def on_fibres(text: str) -> str:
    """CUDA or HIP text as C++ for the fibre headers: launches become calls."""
    text = LAUNCH.sub(r"::fibres::launch(\2, [&] { \1(\3); });", text)
    text = END_OF_THREAD.sub("::fibres::machine().end();", text)
    listed = r"(static_cast<void>(list), ::fibres::launch(\3,\4, [&] { \2(args...); }), \1PeekAtLastError());"
    text = LAUNCH_LISTED.sub(listed, text)
    return DYNAMIC_SHARED.sub(r"\1 *const \2 = ::fibres::dynamic_shared<\1>();", text)


@cache
def _headers() -> bytes:
    digest = hashlib.sha256()
    for path in sorted([*FIBRES.rglob("*"), *HIP_ON_CUDA.rglob("*")]):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.digest()


def compile_library(text: str, compiler: str, flags: tuple[str, ...], suffix: str = ".cpp") -> Path:
    """A shared library of the text. Raises CompilerError on an error, and on a warning under -Werror."""
    digest = hashlib.sha256()
    for part in (text.encode(), _headers(), compiler.encode(), version(compiler).encode(), repr(flags).encode()):
        digest.update(len(part).to_bytes(8, "little") + part)
    library = cache_folder() / f"{digest.hexdigest()[:32]}.so"
    if library.exists():
        return library
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"text{suffix}"
        source.write_text(text, encoding="utf-8")
        made = Path(folder) / "text.so"
        run_compiler([compiler, *flags, "-shared", "-o", str(made), str(source)])
        kept = library.with_suffix(f".{os.getpid()}")
        shutil.copy(made, kept)
        kept.rename(library)
    return library


def parse_on_fibres(text: str) -> None:
    """Has g++ read emitted CUDA or HIP text, for errors and warnings alone. Raises CompilerError."""
    flags = ["-std=c++17", "-fsyntax-only", "-x", "c++", *WARNINGS, "-I", str(FIBRES)]
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", encoding="utf-8") as source:
        source.write(on_fibres(text))
        source.flush()
        run_compiler(["g++", *flags, source.name])


def compile_on_fibres(text: str, extra: tuple[str, ...] = (), level: str = "-O1") -> Path:
    """A library that runs emitted CUDA or HIP text on the CPU."""
    # -frounding-math: g++ alone, no compiler of a device, gives 0.0 - double(k) the wrong sign where k is 0.
    flags = ("-std=c++17", level, "-fPIC", "-frounding-math", *WARNINGS, "-I", str(FIBRES), *extra)
    return compile_library(on_fibres(text), "g++", flags)


def compile_cpu(text: str, compiler: str = "g++", extra: tuple[str, ...] = ()) -> Path:
    """A library of emitted C++, with optimisation and the machine's own instructions and no other flag."""
    flags = ("-std=c++17", "-O3", "-march=native", "-fPIC", *WARNINGS, "-pthread", *extra)
    return compile_library(text, compiler, flags)


def compile_for_device(text: str, backend: str, architecture: str) -> Path:
    """A library of emitted CUDA or HIP text for an NVIDIA device. Skips the test where there is no nvcc."""
    flags = ["-std=c++17", "-x", "cu", f"-arch={architecture}", "-cudart", "static", "-Xcompiler", "-fPIC"]
    if backend == "hip":  # the text's own pragma speaks to clang; CUDA's needs no flag
        flags += ["-fmad=false", "-I", str(HIP_ON_CUDA)]
    return compile_library(text, tool("nvcc"), tuple(flags), BACKENDS[backend].suffix)
