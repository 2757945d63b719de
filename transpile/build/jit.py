"""Kernels of a running program, compiled: at their launch (`TRANSPILE=cpu`), or before it, by `build`.

A kernel compiles once for each state of what it takes from outside and each tuple of static parameters, into an
extension that the cache keeps. A module that `build` made is used as long as it still is what its source says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from transpile.build.cache import open_cache
from transpile.build.load import CodeOf, StaleModule, find_built, load_bytes
from transpile.progress import is_rich, working

if TYPE_CHECKING:
    from transpile.build import captures
    from transpile.build.extension import Sources
    from transpile.ir import hir, tir

KEPT_STATES: Final = 64  # of one kernel in one process: captured values may change again and again


class Program(Protocol):
    """A kernel for what it captures and its static parameters now: for equal states the same object."""

    @property
    def loaded(self) -> hir.Module: ...

    @property
    def module(self) -> tir.Module: ...

    @property
    def function(self) -> tir.Function: ...


class Kernel(Protocol):
    """What `lang` makes of a decorated function. `compiled` is where `build` keeps what it made of it: by state of what
    it captures, and under words what there is one of."""

    function: FunctionType
    compiled: dict[object, Any]
    alias: bool
    fast_math: bool

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Literal["tile", "thread"]: ...

    def captured(self) -> object: ...

    def fingerprint(self) -> str: ...

    def files(self) -> Sequence[str]: ...

    def program(self, arguments: Sequence[object]) -> Program: ...


Launch = Callable[[object, object, Sequence[object], object], None]  # of a grid, a block, arguments, a stream


@dataclass(frozen=True, slots=True)
class Built:
    """A kernel of a built module, and what that was built for."""

    target: str
    launch: Launch


def launch_compiled(
    kernel: Kernel,
    emit: Callable[[Program], Sources],
    grid: object,
    block: object,
    arguments: Sequence[object],
    stream: object,
) -> None:
    """Compiles the kernel unless that is done, and runs it. Raises what the engine raises, CompileError, CompilerError,
    ToolchainMissingError."""
    program = kernel.program(arguments)
    held = kernel.compiled.get(id(program))
    if held is None or held[0] is not program:
        with working(f"compiling {kernel.name}") if is_rich(sys.stderr) else nullcontext():
            held = (program, load_sources(emit(program)))
        keep(kernel, id(program), held)
    launch_in(held[1], kernel, grid, block, arguments, stream)


def keep(kernel: Kernel, state: Hashable, made: object) -> None:
    """Keeps what was made of a kernel for one state of what it captures, and forgets the oldest of too many."""
    states = [
        each for each in tuple(kernel.compiled) if not isinstance(each, str)
    ]  # other threads may launch meanwhile
    if len(states) >= KEPT_STATES:
        kernel.compiled.pop(states[0], None)
    kernel.compiled[state] = made


def launch_in(
    module: ModuleType, kernel: Kernel, grid: object, block: object, arguments: Sequence[object], stream: object
) -> None:
    """Runs the kernel as a module of the engine's has it."""
    compiled = getattr(module, kernel.name)
    placed = compiled[grid, block] if kernel.kind == "thread" else compiled[grid]
    if stream is None:
        placed(*arguments)
    else:
        placed(*arguments, stream=stream)


def load_sources(sources: Sources) -> ModuleType:
    """The module of these sources, from the cache or built. Raises CompilerError, ToolchainMissingError."""
    from transpile.build.extension import build_extension, extension_key
    from transpile.build.targets import recipe_for

    recipe, cache = recipe_for("cpu"), open_cache()
    library = build_extension(recipe, sources, cache)
    key = extension_key(recipe, sources)
    try:
        return load_bytes(sources.name, library, cache.find(key, ".so"))
    except ImportError:
        cache.discard(key, ".so")  # damaged on disk
        return load_bytes(sources.name, build_extension(recipe, sources, cache), None)


# ---------------------------------------------------------------- modules that `build` made


def built_launch(kernel: Kernel, code_of: CodeOf) -> Built | None:
    """The kernel in the module built beside its file; None where there is none.

    Raises StaleModule where that module is not of this source any more, or a captured value has changed.
    """
    if "built" not in kernel.compiled:
        kernel.compiled["built"] = _find(kernel, code_of)
    found: tuple[ModuleType, tuple[captures.Capture, ...]] | None = kernel.compiled["built"]
    if found is None:
        return None
    module, watched = found
    for capture in watched:
        if not capture.is_current():
            raise StaleModule(
                f"{kernel.name}: {capture.name} is {capture.now()!r} now, and was {capture.value} when "
                f"{module.__file__} was built; set it back, or take another target (TRANSPILE=cpu)"
            )

    def launch(grid: object, block: object, arguments: Sequence[object], stream: object) -> None:
        launch_in(module, kernel, grid, block, arguments, stream)

    return Built(module.__transpile__["target"], launch)


def _find(kernel: Kernel, code_of: CodeOf) -> tuple[ModuleType, tuple[captures.Capture, ...]] | None:
    if kernel.function.__qualname__ != kernel.name:
        return None  # a closure: `build` has never seen its values
    module = find_built(kernel.function.__code__.co_filename, code_of)
    if module is None or not hasattr(module, kernel.name):
        return None
    from transpile.build import captures  # not for what compiles at its launch

    row = module.__transpile__["functions"][kernel.name]
    return module, captures.watch(kernel.function, row["captures"])
