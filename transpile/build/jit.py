"""Kernels compiled when they are launched: `TRANSPILE=cpu`, `run --target cpu`.

A kernel compiles at its first launch, once for each tuple of static parameters, into an extension that the cache keeps;
it compiles again when a value or a function that it took from outside has changed.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import FunctionType, ModuleType

from transpile.build import captures, toolchain
from transpile.build.cache import open_cache
from transpile.build.extension import Sources, build_extension, extension_key
from transpile.build.load import load_bytes
from transpile.progress import is_rich, working

Dimensions = int | tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """A kernel's sources; `statics` are the positions and names of its static parameters; `captured` the values from
    outside by the key of the function that reads them, for the kernel and everything that it calls."""

    sources: Sources
    kernel: str
    is_thread: bool
    statics: tuple[tuple[int, str], ...]
    captured: Mapping[str, tuple[tuple[str, captures.Number], ...]]


# Compiles the function as it is now, for these values of its static parameters (None: not known yet). Raises CompileError.
Emit = Callable[[FunctionType, "tuple[int, ...]"], Emitted]


@dataclass(frozen=True, slots=True)
class _Loaded:
    module: ModuleType
    emitted: Emitted
    watched: tuple[captures.Capture | captures.Callee, ...] | None

    def is_current(self) -> bool:
        return self.watched is not None and all(each.is_current() for each in self.watched)


class CompiledKernel:
    """One kernel of a running program, compiled as it is launched."""

    def __init__(self, function: FunctionType, statics: Sequence[tuple[int, str]], emit: Emit) -> None:
        self._function = function
        self._statics = tuple(statics)
        self._emit = emit
        self._loaded: dict[tuple[int, ...], _Loaded] = {}

    def __call__(self, grid: object, block: object, arguments: Sequence[object], stream: object = None) -> None:
        """Launches; `block` is ignored for tile kernels. Raises what the engine raises, CompileError,
        ToolchainMissingError."""
        loaded = self._current(self._static_values(arguments))
        kernel = getattr(loaded.module, loaded.emitted.kernel)
        launch = kernel[grid, block] if loaded.emitted.is_thread else kernel[grid]
        launch(*arguments, stream=stream)

    def _static_values(self, arguments: Sequence[object]) -> tuple[int, ...]:
        values = []
        for position, name in self._statics:
            if position >= len(arguments):
                raise TypeError(f"{self._function.__name__}: argument '{name}' is missing")
            value = arguments[position]
            try:
                values.append(operator.index(value))  # type: ignore[arg-type]
            except TypeError:
                kind = type(value).__name__
                raise TypeError(f"{self._function.__name__}: argument '{name}' must be an int, not {kind}") from None
        return tuple(values)

    def _current(self, statics: tuple[int, ...]) -> _Loaded:
        loaded = self._loaded.get(statics)
        if loaded is None or not loaded.is_current():
            loaded = self._compile(statics)
            self._loaded[statics] = loaded
        return loaded

    def _compile(self, statics: tuple[int, ...]) -> _Loaded:
        name = self._function.__name__
        with working(f"compiling {name}") if is_rich(sys.stderr) else nullcontext():
            emitted = self._emit(self._function, statics)
            module = load_sources(emitted.sources)
        found = captures.watch(self._function, emitted.captured)
        return _Loaded(module, emitted, (*found[0], *found[1]) if found is not None else None)


def load_sources(sources: Sources) -> ModuleType:
    """The module of these sources, from the cache or built. Raises CompilerError, ToolchainMissingError."""
    compiler, cache = toolchain.find_compiler(), open_cache()
    library = build_extension(compiler, sources, cache)
    key = extension_key(compiler, sources)
    try:
        return load_bytes(sources.name, library, cache.find(key, ".so"))
    except ImportError:
        cache.discard(key, ".so")  # damaged on disk; what we hold was read from there
        return load_bytes(sources.name, build_extension(compiler, sources, cache), None)
