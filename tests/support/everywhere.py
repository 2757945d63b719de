"""Runs the kernels of one source text on every target of the tests and compares bits.

The targets are the reference, the emitted C++ and the emitted CUDA and HIP texts on fibres, in several orders of
threads and at both warp widths. Every text is emitted twice and must be the same bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.support.bits import explain, same_bits
from tests.support.compiling import compile_cpu, compile_on_fibres
from tests.support.guarded import guarded
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.diagnostics.core import Sink
from transpile.frontend.load import load_text
from transpile.ir import hir, tir
from transpile.ir.verify import verify_module
from transpile.lowering.names import symbol
from transpile.reference.interpreter import run_kernel
from transpile.reference.pointer import PointerValue
from transpile.source import SourceFile
from transpile.typing.types import Pointer, Scalar

Array = NDArray[np.generic]
CTYPES: Final = {
    "bool": ctypes.c_bool,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


@dataclass(frozen=True, slots=True)
class Target:
    """One way to run. `order` is the order of fibres: 0 ascending, 1 descending, else a seed."""

    name: str
    backend: str
    warp: int = 32
    order: int = 0
    shift: int = 0  # elements by which arrays are off their alignment


TARGETS: Final = (
    Target("cpu", "cpu"),
    Target("cuda", "cuda"),
    Target("cuda, threads descending", "cuda", order=1, shift=1),
    Target("hip, 32 wide", "hip", order=7),
    Target("hip, 64 wide", "hip", warp=64, order=11),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One launch. An argument is a number, or the name of an array. `block` is None for a tile kernel; a launcher has
    neither grid nor block."""

    function: str
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    arguments: tuple[object, ...]


@dataclass(frozen=True)
class Text:
    """The kernels of one source text, compiled for every target when first needed."""

    source: str
    stem: str = "program"
    instances: Mapping[str, Sequence[tuple[int, ...]]] = field(default_factory=dict)
    extra_flags: tuple[str, ...] = ()

    @cached_property
    def typed(self) -> tir.Module:
        """Raises CompileError."""
        return self.loaded[1]

    @cached_property
    def loaded(self) -> tuple[hir.Module, tir.Module]:
        """What the front end and the checker made. Raises CompileError."""
        sink = Sink()
        module = load_text(SourceFile(f"{self.stem}.py", self.source), self.stem, sink, None)
        sink.raise_if_any()
        assert module is not None
        typed = pipeline.check(module, self.instances)
        verify_module(typed)
        return module, typed

    def emitted(self, backend: str) -> str:
        """The text for one backend. Asserts that emitting twice gives the same bytes."""
        module, typed = self.loaded
        options = pipeline.Options(verify=True)
        first = pipeline.emit_typed(module, typed, BACKENDS[backend], options)
        again = Text(self.source, self.stem, self.instances)
        second = pipeline.emit_typed(*again.loaded, BACKENDS[backend], options)
        assert first == second, f"emitting {backend} twice gives other bytes"
        return first

    @cached_property
    def libraries(self) -> dict[str, ctypes.CDLL]:
        """One library a backend. Raises CompilerError."""
        paths: dict[str, Path] = {
            "cpu": compile_cpu(self.emitted("cpu"), extra=self.extra_flags),
            "cuda": compile_on_fibres(self.emitted("cuda"), self.extra_flags),
            "hip": compile_on_fibres(self.emitted("hip"), self.extra_flags),
        }
        made = {}
        for backend, path in paths.items():
            made[backend] = ctypes.CDLL(str(path))
            if backend != "cpu":
                made[backend].fibres_report.restype = ctypes.c_char_p
                made[backend].fibres_configure.argtypes = [ctypes.c_int, ctypes.c_uint64]
        return made

    def run_reference(self, steps: Sequence[Step], arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The arrays after the steps on the reference. Raises its faults."""
        held = {name: array.copy() for name, array in arrays.items()}
        for step in steps:
            function = self.typed.function(step.function)
            values = [
                _pointer(parameter, held[given]) if isinstance(given, str) else given
                for parameter, given in zip(function.parameters, step.arguments, strict=True)
            ]
            assert step.grid is not None
            run_kernel(self.typed, step.function, _three(step.grid), _three(step.block or (1,)), values)
        return held

    def run_target(self, target: Target, steps: Sequence[Step], arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The arrays after the steps on a target; asserts ok statuses, no report of the fibres and intact margins."""
        library = self.libraries[target.backend]
        held = {name: guarded(array, target.shift) for name, array in arrays.items()}
        for step in steps:
            if target.backend != "cpu":
                library.fibres_configure(target.warp, target.order)
            status = self._call(library, step, {name: kept.array for name, kept in held.items()})
            report = library.fibres_report().decode() if target.backend != "cpu" else ""
            assert not report, f"{target.name}: {step.function}: {report}"
            assert status == 0, f"{target.name}: {step.function} returned {status}"
        for name, kept in held.items():
            assert kept.is_intact, f"{target.name}: a store outside of {name}"
        return {name: kept.array.copy() for name, kept in held.items()}

    def _call(self, library: ctypes.CDLL, step: Step, arrays: Mapping[str, Array]) -> int:
        function = self.typed.function(step.function)
        given: list[object] = []
        for sizes in (step.grid, step.block):
            if sizes is not None:
                given += [ctypes.c_int64(size) for size in _three(sizes)]
        for parameter, value in zip(function.parameters, step.arguments, strict=True):
            if parameter.static is not None:
                continue
            if isinstance(value, str):
                given.append(ctypes.c_void_p(arrays[value].ctypes.data))
            else:
                assert isinstance(parameter.value.type, Scalar)
                given.append(CTYPES[parameter.value.type.dtype.name](value))  # type: ignore[arg-type]
        return int(getattr(library, symbol(self.stem, step.function))(*given, None))


def _pointer(parameter: tir.Parameter, array: Array) -> PointerValue:
    kind = parameter.value.type
    assert isinstance(kind, Pointer)
    return PointerValue.whole(array, kind.dtype, const=kind.const, name=parameter.name)


def _three(sizes: tuple[int, ...]) -> tuple[int, int, int]:
    padded = (*sizes, 1, 1)
    return padded[0], padded[1], padded[2]


def check_everywhere(
    text: Text, steps: Sequence[Step], arrays: Mapping[str, Array], targets: Sequence[Target] = TARGETS
) -> dict[str, Array]:
    """Asserts that every target gives the reference's bits; returns them."""
    expected = text.run_reference(steps, arrays)
    for target in targets:
        got = text.run_target(target, steps, arrays)
        for name, array in expected.items():
            assert same_bits(array, got[name]), explain(name, array, got[name], "the reference", target.name)
    return expected
