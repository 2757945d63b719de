"""Runs the kernels of one source text on every target of the tests and compares bits.

The targets are the reference, the emitted C++, the emitted CUDA and HIP texts on fibres, in several orders of threads
and at both warp widths, and both texts on this machine's NVIDIA device. Every text is emitted twice and must be the
same bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tests.support import device
from tests.support.bits import explain, same_bits
from tests.support.compiling import compile_cpu, compile_for_device, compile_on_fibres
from tests.support.guarded import guarded
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.collector import paused
from transpile.diagnostics.core import Sink
from transpile.dtypes import DType
from transpile.frontend.load import load_text
from transpile.ir import hir, tir
from transpile.ir.verify import verify_module
from transpile.lowering.names import symbol
from transpile.reference.interpreter import run_kernel
from transpile.reference.pointer import PointerValue
from transpile.rounding import bits_of
from transpile.source import SourceFile
from transpile.typing.types import Pointer, Scalar

Array = NDArray[np.generic]
CTYPES: Final = {
    "bool": ctypes.c_bool,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


@dataclass(frozen=True, slots=True)
class Target:
    """One way to run: the text of `backend` on `place`. The order of fibres: 0 ascending, 1 descending, else a seed."""

    name: str
    backend: str
    place: Literal["cpu", "fibres", "device"]
    warp: int = 32
    order: int = 0
    shift: int = 0  # elements by which arrays are off their alignment
    has_margins: bool = True  # around arrays, so that a store outside of them is seen


TARGETS: Final = (
    Target("cpu", "cpu", "cpu"),
    Target("cuda", "cuda", "fibres"),
    Target("cuda, threads descending", "cuda", "fibres", order=1, shift=1),
    Target("hip, 32 wide", "hip", "fibres", order=7),
    Target("hip, 64 wide", "hip", "fibres", warp=64, order=11),
)
# The HIP text runs through a header that is the tests'.
DEVICE_TARGETS: Final = (
    Target("the device", "cuda", "device"),
    Target("the device, arrays off their alignment", "cuda", "device", shift=1),
    Target("the HIP text on the device", "hip", "device"),
)
# What a program that watches the device's memory is shown: arrays that end where their memory ends.
WATCHED: Final = (Target("the device, watched", "cuda", "device", has_margins=False),)


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

    @cached_property
    def typed(self) -> tir.Module:
        """Raises CompileError."""
        return self.loaded[1]

    @cached_property
    def loaded(self) -> tuple[hir.Module, tir.Module]:
        """What the front end and the checker made. Raises CompileError."""
        return self._load()

    @cached_property
    def _loaded_again(self) -> tuple[hir.Module, tir.Module]:
        return self._load()

    @paused()
    def _load(self) -> tuple[hir.Module, tir.Module]:
        sink = Sink()
        module = load_text(SourceFile(f"{self.stem}.py", self.source), self.stem, sink, None)
        sink.raise_if_any()
        assert module is not None
        typed = pipeline.check(module, self.instances)
        verify_module(typed)
        return module, typed

    def emitted(self, backend: str) -> str:
        """The text for one backend. Asserts that emitting twice gives the same bytes."""
        if backend not in self._texts:
            first = pipeline.emit_typed(*self.loaded, BACKENDS[backend], pipeline.Options(verify=True))
            second = pipeline.emit_typed(*self._loaded_again, BACKENDS[backend])
            assert first == second, f"emitting {backend} twice gives other bytes"
            self._texts[backend] = first
        return self._texts[backend]

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {}

    @cached_property
    def _libraries(self) -> dict[tuple[str, str], ctypes.CDLL]:
        return {}

    def library(self, target: Target) -> ctypes.CDLL:
        """The text compiled and loaded, once for a backend and a place. Raises CompilerError."""
        key = (target.backend, target.place)
        if key not in self._libraries:
            text = self.emitted(target.backend)
            if target.place == "cpu":
                path = compile_cpu(text)
            elif target.place == "fibres":
                # What g++ warns of as it optimises is the same in both texts: once is enough.
                path = compile_on_fibres(text, level="-O1" if target.backend == "cuda" else "-O0")
            else:
                path = compile_for_device(text, target.backend, device.architecture())
            library = self._libraries[key] = ctypes.CDLL(str(path))
            if target.place == "fibres":
                library.fibres_report.restype = ctypes.c_char_p
                library.fibres_configure.argtypes = [ctypes.c_int, ctypes.c_uint64]
        return self._libraries[key]

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
        held = {name: guarded(array, target.shift) for name, array in arrays.items()}
        memories = {name: kept.memory if target.has_margins else kept.array for name, kept in held.items()}
        with lent(target, memories) as starts:
            before = {name: held[name].array.ctypes.data - memory.ctypes.data for name, memory in memories.items()}
            addresses = {name: start + before[name] for name, start in starts.items()}
            for step in steps:
                status = self.call(target, step, addresses)
                assert status == 0, f"{target.name}: {step.function} returned {status}"
        for name, kept in held.items():
            assert kept.is_intact, f"{target.name}: a store outside of {name}"
        return {name: kept.array.copy() for name, kept in held.items()}

    def call(self, target: Target, step: Step, addresses: Mapping[str, int]) -> int:
        """Calls the C ABI once; the status. Asserts that the fibres report nothing."""
        library = self.library(target)
        function = self.typed.function(step.function)
        given: list[object] = []
        for sizes in (step.grid, step.block):
            if sizes is not None:
                given += [ctypes.c_int64(size) for size in _three(sizes)]
        for parameter, value in zip(function.parameters, step.arguments, strict=True):
            if parameter.static is not None:
                continue
            if isinstance(value, str):
                given.append(ctypes.c_void_p(addresses[value]))
            else:
                assert isinstance(parameter.value.type, Scalar)
                given.append(_number(value, parameter.value.type.dtype))
        if target.place == "fibres":
            library.fibres_configure(target.warp, target.order)
        status = int(getattr(library, symbol(self.stem, step.function))(*given, None))
        report = library.fibres_report().decode() if target.place == "fibres" else ""
        assert not report, f"{target.name}: {step.function}: {report}"
        if status != 0 and target.place == "device":
            device.synchronize()  # the fault of an earlier kernel is no failure of this launch
        return status


@contextmanager
def lent(target: Target, arrays: Mapping[str, Array]) -> Iterator[dict[str, int]]:
    """Where the arrays are for kernels of the target, until the end of the block; then they hold what was written."""
    if target.place == "device":
        with device.mirrored(list(arrays.values())) as addresses:
            yield dict(zip(arrays, addresses, strict=True))
    else:
        yield {name: array.ctypes.data for name, array in arrays.items()}


def _number(value: object, dtype: DType) -> object:
    """A number as the C ABI takes it: of a narrow float, its bits."""
    if dtype.is_narrow_float:
        assert isinstance(value, int | float)
        return CTYPES[f"u{dtype.bits}"](bits_of(float(value), dtype))
    return CTYPES[dtype.name](value)  # type: ignore[arg-type]


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
