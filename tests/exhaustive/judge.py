"""The compiled judge: makes inputs, compares results bit by bit, and measures them against the true values."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.support.compiling import compile_library
from tests.support.tools import tool
from transpile import dtypes
from transpile.dtypes import DType

Array = NDArray[Any]
SOURCE: Final = Path(__file__).with_name("judge.cpp")
FLAGS: Final = (
    *("-std=gnu++17", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fPIC", "-pthread"),
    *("-Wl,--no-as-needed", "-lquadmath"),
)


class Verdict(ctypes.Structure):
    """What came of many inputs; the next chunk's verdict is added to it."""

    _fields_ = (
        ("different", ctypes.c_int64),
        ("different_x", ctypes.c_double),
        ("different_y", ctypes.c_double),
        ("worst", ctypes.c_double),
        ("worst_x", ctypes.c_double),
        ("worst_y", ctypes.c_double),
    )
    different: int
    different_x: float
    different_y: float
    worst: float
    worst_x: float
    worst_y: float


@cache
def library() -> ctypes.CDLL:
    """The judge, compiled once. Skips the test where there is no g++; raises CompilerError."""
    return ctypes.CDLL(str(compile_library(SOURCE.read_text(encoding="utf-8"), tool("g++"), FLAGS)))


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one function on one dtype, by number: every value of f32, and as many others as are asked for.

    One number in `stride` is taken. The same numbers give the same inputs on every machine.
    """

    dtype: DType
    arity: int
    total: int
    stride: int

    @property
    def count(self) -> int:
        return -(-self.total // self.stride)

    def chunk(self, first: int, count: int, threads: int) -> list[Array]:
        """`count` inputs from the `first` that is taken: an array an operand."""
        arrays = [np.empty(count, self.dtype.numpy) for _ in range(self.arity)]
        kind = "fill_pairs_" if self.arity == 2 else "fill_"
        fill = getattr(library(), f"{kind}{self.dtype.name}")
        start, stride = ctypes.c_uint64(first * self.stride), ctypes.c_uint64(self.stride)
        fill(start, stride, *map(_pointer, arrays), ctypes.c_int64(count), ctypes.c_int(threads))
        return arrays


def knows(name: str) -> bool:
    """Whether the judge has the true values of a function."""
    return bool(
        library().judge_f64(name.encode(), None, None, None, ctypes.c_int64(0), 1, ctypes.byref(Verdict())) == 0
    )


def judge(name: str, inputs: list[Array], got: Array, threads: int, verdict: Verdict) -> None:
    """Adds to `verdict` how far results are from the true values. Raises ValueError for a function it does not know."""
    call = getattr(library(), f"judge_{_dtype(got)}")
    word = ctypes.c_char_p(name.encode())
    if call(word, *_operands(inputs), _pointer(got), *_rest(got, threads, verdict)) != 0:
        raise ValueError(f"tests/exhaustive/judge.cpp does not know {name}")


def compare(inputs: list[Array], one: Array, other: Array, threads: int, verdict: Verdict) -> None:
    """Adds to `verdict` on how many inputs two results have different bits."""
    call = getattr(library(), f"compare_{_dtype(one)}")
    call(*_operands(inputs), _pointer(one), _pointer(other), *_rest(one, threads, verdict))


def _dtype(array: Array) -> str:
    return next(dtype.name for dtype in (dtypes.F32, dtypes.F64) if array.dtype == np.dtype(dtype.numpy))


def _operands(inputs: list[Array]) -> list[ctypes.c_void_p | None]:
    return [_pointer(inputs[0]), _pointer(inputs[1]) if len(inputs) == 2 else None]


def _rest(array: Array, threads: int, verdict: Verdict) -> tuple[object, ...]:
    return ctypes.c_int64(array.size), ctypes.c_int(threads), ctypes.byref(verdict)


def _pointer(array: Array) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
