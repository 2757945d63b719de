"""Compiles the carried sources of a module for machines that nobody knows yet.

For GPUs: one of each generation unless told otherwise. For the CPU, on x86-64: the kernels three times, for the
baseline and for the levels v3 and v4, of which levels.cpp takes one as the module is imported. Each level is an
object of its own with its C ABI renamed, so that nothing is left to the inliner: every function that a kernel calls
is compiled for its level. What the objects have in common, the inline functions of the standard library, the linker
takes from the first that has it: the baseline comes first, then each level after those that it includes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from transpile.build import targets, toolchain
from transpile.build.cache import Cache, key_of
from transpile.build.extension import compile_engine
from transpile.build.targets import Recipe
from transpile.build.toolchain import UnknownProcessorError

BASELINE: Final = "x86-64"
HIGHER: Final = ("x86-64-v3", "x86-64-v4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One module to compile: `NAME.cpp`, the kernels and `STEM.h` lie in `folder`. `symbols` are the functions of its C
    ABI, which start with `prefix`. `archs` are the GPUs, if somebody chose them."""

    target: str
    name: str
    stem: str
    folder: Path
    prefix: str
    symbols: tuple[str, ...]
    archs: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where objects are made, and where they are kept."""

    scratch: Path
    cache: Cache


# Makes one object, whose file it returns.
Job = Callable[[], Path]


def build(part: Part, made: Path, shop: Workshop) -> None:
    """Compiles and links the module into the file `made`.

    Raises CompilerError, ToolchainMissingError, UnknownProcessorError.
    """
    levels = known_levels() if part.target == "cpu" else ()
    recipe = _recipe(part, BASELINE if levels else None)
    jobs: list[Job] = [lambda: compile_engine(recipe, shop.cache, shop.scratch)]
    if levels:
        jobs.append(lambda: _choice(part, recipe, shop))
        jobs.extend(job for level in levels for job in _level_jobs(part, level, shop))
    else:
        jobs.extend(_jobs(part, recipe, shop))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        objects = [running.result() for running in [pool.submit(job) for job in jobs]]
    linked = shop.scratch / f"{part.name}.so"
    targets.link(recipe, objects, linked, name=part.name, prefix=part.prefix)
    made.write_bytes(linked.read_bytes())
    made.chmod(linked.stat().st_mode)


def known_levels() -> tuple[str, ...]:
    """The levels of x86-64 that the C++ compiler knows, lowest first; none where it compiles for other processors.
    Raises ToolchainMissingError."""
    found = tuple(level for level in (BASELINE, *HIGHER) if _is_known(level))
    return found if BASELINE in found else ()


def _is_known(level: str) -> bool:
    try:
        toolchain.compiler_for(level)
    except UnknownProcessorError:
        return False
    return True


def _recipe(part: Part, march: str | None) -> Recipe:
    """For the CPU without a level: what the compiler takes for the processors of this architecture."""
    if part.target != "cpu":
        return targets.recipe_for(part.target, archs=part.archs or targets.every_generation(part.target))
    if march is not None:
        return targets.recipe_for("cpu", march=march)
    recipe = targets.recipe_for("cpu")
    return replace(recipe, kernels=tuple(word for word in recipe.kernels if not word.startswith("-march=")))


def _level_jobs(part: Part, level: str, shop: Workshop) -> tuple[Job, ...]:
    recipe = _recipe(part, level)
    name = level.replace("-", "_")
    named = f"-DTRANSPILE_LEVEL=transpile_table_{name}"
    if level == BASELINE:
        return _jobs(part, replace(recipe, host=(*recipe.host, named)), shop, name)
    renamed = shop.scratch / f"{part.name}.{name}.h"
    renamed.write_text("".join(f"#define {each} {name}_{each}\n" for each in part.symbols), encoding="ascii")
    included = ("-include", str(renamed.absolute()))
    kernels, host = (*recipe.kernels, *included), (*recipe.host, named, *included)
    return _jobs(part, replace(recipe, kernels=kernels, host=host), shop, name)


def _jobs(part: Part, recipe: Recipe, shop: Workshop, label: str = "any") -> tuple[Job, ...]:
    """The table and the kernels. `label` tells the objects of a module's levels apart."""
    kernels = part.folder / f"{part.stem}{recipe.suffix}"
    table = part.folder / f"{part.name}.cpp"
    headers = (part.folder / f"{part.stem}.h", *sorted((toolchain.runtime_folder() / "include").rglob("*.h*")))
    key = (part.target, part.name, label, *part.symbols, recipe.machines, *recipe.versions)
    # The header that renames is left out with its path: `symbols` and `label` say what is in it.
    fixed = tuple(word for word in (*recipe.kernels, "", *recipe.host) if str(shop.scratch.absolute()) not in word)

    def object_of(source: Path, read: Iterable[Path], compile_with: Callable[[Recipe, Path, Path], None]) -> Path:
        texts = [path.read_bytes() for path in (source, *read)]
        name = key_of("object", source.name, *key, *fixed, *texts)
        kept = shop.cache.find(name, ".o")
        if kept is not None:
            return kept
        made = shop.scratch / f"{source.name}.{part.name}.{label}.o"
        compile_with(recipe, source.absolute(), made)
        return shop.cache.write(name, ".o", made.read_bytes()) or made

    return (
        lambda: object_of(table, headers, targets.compile_table),
        lambda: object_of(kernels, (), targets.compile_kernels),
    )


def _choice(part: Part, recipe: Recipe, shop: Workshop) -> Path:
    """The object of levels.cpp, which chooses."""
    made = shop.scratch / f"levels.{part.name}.o"
    source = toolchain.runtime_folder() / "levels.cpp"
    told = replace(recipe, host=(*recipe.host, f"-DTRANSPILE_INIT=PyInit_{part.name}"))
    targets.compile_engine(told, source, made, headers=(toolchain.python_include(),))
    return made
