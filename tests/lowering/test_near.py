"""On the CPU a sine is worked out without a branch where every lane is near 0; the bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.programs import kernel, parameter
from tests.lowering.test_tiles import BLOCK, CPU, compare
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.printer import print_function
from transpile.ir.verify import verify_function
from transpile.lowering.near import take_apart

BOTH = pytest.mark.parametrize("dtype", [dtypes.F32, dtypes.F64], ids=str)


def waves(dtype: DType, size: int = 64) -> tir.Function:
    """The sine of a tile, of a scalar, and a cosine of their sum."""
    b = Builder()
    x, out = parameter(b, "x", dtype, "in"), parameter(b, "out", dtype, "out")
    offsets = b.arange(size)
    one = b.apply("sin", b.load(x, None))
    both = b.apply("add", b.apply("sin", b.load(x, offsets)), b.broadcast(one, (size,)))
    b.store(out, offsets, b.apply("cos", both))
    return kernel(b, "waves", (x, out))


@BOTH
def test_tiles_alone_are_taken_apart(dtype: DType) -> None:
    made = take_apart(waves(dtype))
    verify_function(made)
    text = print_function(made)
    assert text.count("sin_near") == text.count("cos_near") == 1
    assert text.count("= sin ") + text.count("= sin(") == 2, text  # of the scalar, and where a lane is far out


def test_a_tile_is_asked_once() -> None:
    b = Builder()
    x, out = parameter(b, "x", dtypes.F32, "in"), parameter(b, "out", dtypes.F32, "out")
    offsets = b.arange(64)
    angle = b.load(x, offsets)
    b.store(out, offsets, b.apply("mul", b.apply("sin", angle), b.apply("cos", angle)))
    made = take_apart(kernel(b, "product", (x, out)))
    verify_function(made)
    assert sum(isinstance(op, tir.Reduce) for op in made.body.ops) == 1
    assert sum(isinstance(op, tir.If) for op in made.body.ops) == 2


@BOTH
@pytest.mark.parametrize("scale", [1.0, 1e12])
def test_the_bits_stay(dtype: DType, scale: float) -> None:
    x = (np.random.default_rng(1).normal(size=64) * scale).astype(dtype.numpy)
    for target in (CPU, BLOCK):
        compare(waves(dtype), [x, np.zeros(64, dtype.numpy)], 1, target)
