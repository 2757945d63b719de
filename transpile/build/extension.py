"""Compiles the sources of a module and links them with the engine into an extension.

The kernels (-O3) and the table (-O1) compile side by side; the engine is compiled once for a Python and a compiler and
kept. What was linked is kept too, under everything that it was made from.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from transpile.build import toolchain
from transpile.build.cache import Cache, key_of
from transpile.build.toolchain import Compiler, CompilerError

ENGINE_SOURCES: Final = ("engine.cpp", "engine", "include")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The texts of one module. `name` is the module's, `stem` names the files of its kernels."""

    stem: str
    name: str
    kernels: str
    header: str
    table: str


def engine_key(compiler: Compiler) -> str:
    import pybind11

    runtime = toolchain.runtime_folder()
    files = sorted(path for part in ENGINE_SOURCES for path in _sources(runtime / part))
    texts = [part for path in files for part in (str(path.relative_to(runtime)), path.read_bytes())]
    return key_of(
        "engine",
        *compiler.command,
        compiler.version,
        *toolchain.HOST_FLAGS,
        toolchain.python_identity(),
        str(toolchain.python_include()),
        pybind11.__version__,
        *texts,
    )


def _sources(path: Path) -> list[Path]:
    return [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]


def compile_engine(compiler: Compiler, cache: Cache, folder: Path) -> Path:
    """The engine's object: the one kept, or compiled into `folder`. Raises CompilerError, ToolchainMissingError."""
    import pybind11

    key = engine_key(compiler)
    kept = cache.find(key, ".o")
    if kept is not None:
        return kept
    runtime = toolchain.runtime_folder()
    made = folder / "engine.o"
    toolchain.run(
        [
            *compiler.command,
            *toolchain.HOST_FLAGS,
            f"-I{runtime / 'include'}",
            f"-isystem{pybind11.get_include()}",
            f"-isystem{toolchain.python_include()}",
            "-c",
            str(runtime / "engine.cpp"),
            "-o",
            str(made),
        ]
    )
    return cache.write(key, ".o", made.read_bytes()) or made


def extension_key(compiler: Compiler, sources: Sources) -> str:
    return key_of(
        "extension",
        engine_key(compiler),
        *compiler.kernel_flags,
        *toolchain.LINK_FLAGS,
        toolchain.machine(),
        toolchain.python_identity(),
        sources.stem,
        sources.name,
        sources.kernels,
        sources.header,
        sources.table,
    )


def build_extension(compiler: Compiler, sources: Sources, cache: Cache, engine: Future[Path] | None = None) -> bytes:
    """The extension module as bytes, from the cache or built. `engine` is its object where somebody is compiling that
    already. Raises CompilerError, ToolchainMissingError."""
    key = extension_key(compiler, sources)
    kept = cache.read(key, ".so")
    if kept is not None:
        return kept
    with tempfile.TemporaryDirectory(prefix="transpile-") as folder:
        try:
            built = _build(compiler, sources, cache, Path(folder), engine).read_bytes()
        except CompilerError as error:
            saved = Path(tempfile.mkdtemp(prefix="transpile-failure-"))
            shutil.copytree(folder, saved, dirs_exist_ok=True)
            (saved / "error.txt").write_text(str(error), encoding="utf-8")
            raise replace(error, folder=saved) from None
    cache.write(key, ".so", built)
    return built


def _build(compiler: Compiler, sources: Sources, cache: Cache, folder: Path, engine: Future[Path] | None) -> Path:
    kernels, table = folder / f"{sources.stem}.cpp", folder / f"{sources.name}.cpp"
    (folder / f"{sources.stem}.h").write_text(sources.header, encoding="utf-8")
    kernels.write_text(sources.kernels, encoding="utf-8")
    table.write_text(sources.table, encoding="utf-8")
    include = f"-I{toolchain.runtime_folder() / 'include'}"
    jobs: tuple[Callable[[], Path], ...] = (
        engine.result if engine is not None else lambda: compile_engine(compiler, cache, folder),
        lambda: _compile(compiler, compiler.kernel_flags, kernels),
        lambda: _compile(compiler, (*toolchain.HOST_FLAGS, include), table),
    )
    with ThreadPoolExecutor(len(jobs)) as pool:
        objects = [running.result() for running in [pool.submit(job) for job in jobs]]
    linked = folder / "module.so"
    toolchain.run([*compiler.command, *toolchain.LINK_FLAGS, *map(str, objects), "-o", str(linked)])
    return linked


def _compile(compiler: Compiler, flags: tuple[str, ...], source: Path) -> Path:
    made = source.with_suffix(".o")
    toolchain.run([*compiler.command, *flags, "-c", str(source), "-o", str(made)])
    return made
