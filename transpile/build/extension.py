"""Compiles the sources of a module and links them with the engine into an extension.

The kernels and the table compile side by side; the engine is compiled once for a Python and a compiler and kept. What
was linked is kept too, under everything that it was made from.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from transpile.build import targets, toolchain
from transpile.build.cache import Cache, key_of
from transpile.build.targets import Recipe
from transpile.build.toolchain import CompilerError

ENGINE_SOURCES: Final = ("engine.cpp", "engine", "include")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The texts of one module. `name` is the module's, `stem` names the files of its kernels."""

    stem: str
    name: str
    kernels: str
    header: str
    table: str


def engine_key(recipe: Recipe) -> str:
    import pybind11

    runtime = toolchain.runtime_folder()
    files = sorted(path for part in ENGINE_SOURCES for path in _sources(runtime / part))
    texts = [part for path in files for part in (str(path.relative_to(runtime)), path.read_bytes())]
    return key_of(
        "engine",
        *recipe.host,
        recipe.versions[0],
        toolchain.python_identity(),
        str(toolchain.python_include()),
        pybind11.__version__,
        *texts,
    )


def _sources(path: Path) -> list[Path]:
    return [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]


def compile_engine(recipe: Recipe, cache: Cache, folder: Path) -> Path:
    """The engine's object, which serves every target: the one kept, or compiled into `folder`. Raises CompilerError,
    ToolchainMissingError."""
    import pybind11

    key = engine_key(recipe)
    kept = cache.find(key, ".o")
    if kept is not None:
        return kept
    made = folder / "engine.o"
    headers = (pybind11.get_include(), toolchain.python_include())
    targets.compile_engine(recipe, toolchain.runtime_folder() / "engine.cpp", made, headers=headers)
    return cache.write(key, ".o", made.read_bytes()) or made


def extension_key(recipe: Recipe, sources: Sources) -> str:
    return key_of(
        "extension",
        engine_key(recipe),
        *recipe.identity,
        toolchain.python_identity(),
        sources.stem,
        sources.name,
        sources.kernels,
        sources.header,
        sources.table,
    )


def build_extension(recipe: Recipe, sources: Sources, cache: Cache) -> bytes:
    """The extension module as bytes, from the cache or built. Raises CompilerError, ToolchainMissingError."""
    key = extension_key(recipe, sources)
    kept = cache.read(key, ".so")
    if kept is not None:
        return kept
    with tempfile.TemporaryDirectory(prefix="transpile-") as folder:
        try:
            built = _build(recipe, sources, cache, Path(folder)).read_bytes()
        except CompilerError as error:
            raise replace(error, folder=_saved(folder, error)) from None
    cache.write(key, ".so", built)
    return built


def _saved(folder: str, error: CompilerError) -> Path | None:
    """Where what was refused is kept, to be sent to us; None where it cannot be kept."""
    try:
        saved = Path(tempfile.mkdtemp(prefix="transpile-failure-"))
        shutil.copytree(folder, saved, dirs_exist_ok=True)
        (saved / "error.txt").write_text(str(error), encoding="utf-8")
    except OSError:
        return None
    return saved


def _build(recipe: Recipe, sources: Sources, cache: Cache, folder: Path) -> Path:
    from transpile.lowering.names import symbol  # an sdist carries this module, and not the lowering

    kernels, table = folder / f"{sources.stem}{recipe.suffix}", folder / f"{sources.name}.cpp"
    (folder / f"{sources.stem}.h").write_text(sources.header, encoding="utf-8")
    kernels.write_text(sources.kernels, encoding="utf-8")
    table.write_text(sources.table, encoding="utf-8")
    jobs: tuple[Callable[[], Path], ...] = (
        lambda: compile_engine(recipe, cache, folder),
        lambda: _compiled(targets.compile_kernels, recipe, kernels),
        lambda: _compiled(targets.compile_table, recipe, table),
    )
    with ThreadPoolExecutor(len(jobs)) as pool:
        objects = [running.result() for running in [pool.submit(job) for job in jobs]]
    linked = folder / "module.so"
    targets.link(recipe, objects, linked, name=sources.name, prefix=symbol(sources.stem, ""))
    return linked


def _compiled(compile_with: Callable[[Recipe, Path, Path], None], recipe: Recipe, source: Path) -> Path:
    made = source.with_suffix(".o")
    compile_with(recipe, source, made)
    return made
