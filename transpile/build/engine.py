"""`transpile._engine`, which launches kernels that were compiled while the program runs: the one that was built with
this package or, in a checkout without it, one that is compiled once and kept.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Final

from transpile.build import linking
from transpile.build.cache import key_of, open_cache
from transpile.build.faults import ToolchainMissingError
from transpile.build.load import load_bytes, load_extension
from transpile.runtime import runtime_folder

NAME: Final = "transpile._engine"
SOURCE: Final = "engine_module.cpp"
HEADERS: Final = ("engine", "include")
FLAGS: Final = ("-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-pthread")
LINK_FLAGS: Final = (*linking.FLAGS, "-Wl,--strip-all")


@cache
def load_engine() -> Any:
    """The engine. Raises ToolchainMissingError, CompilerError."""
    runtime = runtime_folder()
    source = engine_source(runtime)
    built = _built_with_the_package()
    if built is not None and built.source == source:
        return built
    try:
        return _compiled(runtime, source)
    except ToolchainMissingError as error:
        raise ToolchainMissingError(
            "launches on a GPU go through transpile._engine, which is compiled when transpile is installed: this "
            f"installation has none, and it cannot be compiled now, since {error}"
        ) from error


def source_files(runtime: Path) -> list[Path]:
    """The C++ that the engine is compiled from."""
    headers = (path for part in HEADERS for path in (runtime / part).rglob("*.h*") if path.is_file())
    return [runtime / SOURCE, *sorted(headers)]


def engine_source(runtime: Path) -> str:
    """Names the C++ that the engine is compiled from."""
    digest = hashlib.sha256()
    for file in source_files(runtime):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(runtime).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:40]


def macro(runtime: Path) -> tuple[str, str]:
    """What tells the engine its own source: its name and its value."""
    return "TRANSPILE_ENGINE_SOURCE", f'"{engine_source(runtime)}"'


def _built_with_the_package() -> Any:
    try:
        from transpile import _engine
    except ImportError:
        return None
    return _engine


def _compiled(runtime: Path, source: str) -> Any:
    """The engine of the cache, whatever compiler has made it, or compiled now."""
    cached = open_cache()
    python = f"{EXTENSION_SUFFIXES[0]} {sys.hexversion:x}"
    key = key_of("_engine", *FLAGS, python, source)
    kept = cached.find(key, ".so")
    if kept is not None:
        try:
            return load_extension(NAME, kept)
        except ImportError:
            cached.discard(key, ".so")  # of a system that this one cannot load from
    library = _compile(runtime)
    return load_bytes(NAME, library, cached.write(key, ".so", library))


def _compile(runtime: Path) -> bytes:
    from tempfile import TemporaryDirectory

    import pybind11

    from transpile.build import toolchain

    compiler = toolchain.find_compiler()
    define = f"-D{'='.join(macro(runtime))}"
    headers = (f"-isystem{folder}" for folder in (pybind11.get_include(), toolchain.python_include()))
    with TemporaryDirectory(prefix="transpile-") as folder:
        made = Path(folder) / "engine.so"
        command = [*compiler.command, *FLAGS, define, f"-I{runtime / 'include'}", *headers, str(runtime / SOURCE)]
        toolchain.run([*command, *LINK_FLAGS, *linking.LIBRARIES, "-o", str(made)])
        return made.read_bytes()
