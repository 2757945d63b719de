"""`transpile._engine`, which launches kernels that were compiled while the program runs: the one that was built with
this package or, in a checkout without it, one that is compiled once and kept.
"""

from __future__ import annotations

import hashlib
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

from transpile.build import toolchain
from transpile.build.cache import key_of, open_cache
from transpile.build.load import load_bytes
from transpile.build.toolchain import ToolchainMissingError

NAME: Final = "transpile._engine"
FLAGS: Final = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-pthread")
LIBRARIES: Final = ("-ldl", "-Wl,-Bsymbolic", "-Wl,--build-id=none")
PARTS: Final = ("engine_module.cpp", "engine", "include")


@cache
def load_engine() -> Any:
    """The engine. Raises ToolchainMissingError, CompilerError."""
    runtime = toolchain.runtime_folder()
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


def engine_source(runtime: Path) -> str:
    """Names the C++ that the engine is compiled from."""
    digest = hashlib.sha256()
    for part in PARTS:
        path = runtime / part
        for file in [path] if path.is_file() else sorted(each for each in path.rglob("*.h*") if each.is_file()):
            content = file.read_bytes()
            digest.update(f"{file.relative_to(runtime).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()[:40]


def compile_arguments(runtime: Path) -> tuple[str, ...]:
    """What a compiler is told before the file that it writes."""
    define = f'-DTRANSPILE_ENGINE_SOURCE="{engine_source(runtime)}"'
    return (*FLAGS, define, f"-I{runtime / 'include'}", str(runtime / "engine_module.cpp"))


def _built_with_the_package() -> Any:
    try:
        from transpile import _engine
    except ImportError:
        return None
    return _engine


def _compiled(runtime: Path, source: str) -> Any:
    import pybind11

    compiler, cached = toolchain.find_compiler(), open_cache()
    include = toolchain.python_include()
    identity = toolchain.python_identity()
    key = key_of("_engine", *compiler.command, compiler.version, *FLAGS, identity, str(include), source)
    kept = cached.find(key, ".so")
    if kept is not None:
        try:
            return load_bytes(NAME, kept.read_bytes(), kept)
        except (ImportError, OSError):
            cached.discard(key, ".so")  # damaged on disk
    with tempfile.TemporaryDirectory(prefix="transpile-") as folder:
        made = Path(folder) / "engine.so"
        command = [*compiler.command, *compile_arguments(runtime), f"-isystem{pybind11.get_include()}"]
        toolchain.run([*command, f"-isystem{include}", *LIBRARIES, "-o", str(made)])
        library = made.read_bytes()
    return load_bytes(NAME, library, cached.write(key, ".so", library))
