"""A normalisation over the rows of an f16 [8, 128] tile, carried by a loop and built by hand in TIR.

Protects what later kernels stand on: 2-D tiles, folds along an axis, narrow types and loops that carry tiles pass
through the builder, the printer, the verifier, the interpreter and the assignment of layouts.
"""

from __future__ import annotations

import numpy as np
import pytest

from transpile import dtypes
from transpile.backends.cpu import CPU
from transpile.backends.cuda import CUDA
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.printer import print_function
from transpile.ir.tir import Value
from transpile.ir.verify import verify_function
from transpile.ir.verify_lir import verify_laid_out
from transpile.ir.walk import all_ops, results_of
from transpile.lowering.assign import assign_layouts
from transpile.reference.interpreter import run_kernel
from transpile.reference.memory import PointerValue
from transpile.typing.types import Pointer, Scalar, Tile

ROWS, COLUMNS, TURNS = 8, 128, 3


def normalisation() -> tir.Function:
    """`for _ in range(TURNS): t = (t - max(t, 1)); t = t * t; t = t / sum(t, 1)`, kept in f16 between turns."""
    b = Builder()
    source = b.fresh(Pointer(dtypes.F16, const=True), "x")
    target = b.fresh(Pointer(dtypes.F16), "out")
    shape = (ROWS, COLUMNS)
    row = b.broadcast(_axis(b, ROWS, 0), shape)
    column = b.broadcast(_axis(b, COLUMNS, 1), shape)
    width = b.broadcast(b.const(COLUMNS, dtypes.I64), shape)
    offsets = b.apply("add", b.apply("mul", row, width), column, name="offsets")
    loaded = b.load(source, offsets, name="t")
    zero, turns, one = (b.const(value, dtypes.I64) for value in (0, TURNS, 1))
    carried = b.fresh(Tile(dtypes.F16, shape), "t")
    index = b.fresh(Scalar(dtypes.I64), "turn")

    def turn() -> tir.Terminator:
        wide = b.cast(carried, dtypes.F32)
        shifted = b.apply("sub", wide, b.broadcast(b.reduce("max", wide, axis=1, name="top"), shape))
        square = b.apply("mul", shifted, shifted, name="square")
        total = b.broadcast(b.reduce("sum", square, axis=1, name="total"), shape)
        return tir.Yield((b.cast(b.apply("truediv", square, total), dtypes.F16),))

    body = b.block(turn)
    result = b.fresh(Tile(dtypes.F16, shape), "t")
    b.add(tir.For(index, zero, turns, one, (loaded,), (carried,), body, (result,)))
    b.store(target, offsets, result)
    return tir.Function(
        key="normalise",
        name="normalise",
        base="normalise",
        kind="tile",
        parameters=(tir.Parameter(value=source), tir.Parameter(value=target)),
        result=None,
        body=b.finish(tir.Return()),
    )


def _axis(b: Builder, size: int, axis: int) -> Value:
    """An arange that lies along `axis` of a 2-D tile."""
    shape = (size, 1) if axis == 0 else (1, size)
    result = b.fresh(Tile(dtypes.I64, shape))
    b.add(tir.Arange(result, size, axis=axis))
    return result


def expected(x: np.ndarray) -> np.ndarray:
    t = x
    for _ in range(TURNS):
        wide = t.astype(np.float32)
        square = (wide - wide.max(axis=1, keepdims=True)) ** 2
        total = square
        while total.shape[1] > 1:
            half = total.shape[1] // 2
            total = total[:, :half] + total[:, half:]
        t = (square / total).astype(np.float16)
    return t


def test_verifies_and_prints() -> None:
    function = normalisation()
    verify_function(function)
    text = print_function(function)
    assert "carry %" in text
    assert "tile[f16, 8, 128]" in text
    assert "reduce max" in text
    assert "axis 1" in text
    assert print_function(normalisation()) == text


def test_interprets_to_the_bits_of_numpy() -> None:
    function = normalisation()
    module = tir.Module(stem="by_hand", functions=(function,))
    x = np.random.default_rng(7).normal(size=(ROWS, COLUMNS)).astype(np.float16)
    out = np.zeros_like(x)
    arguments = [
        PointerValue.whole(x.reshape(-1), dtypes.F16, const=True, name="x"),
        PointerValue.whole(out.reshape(-1), dtypes.F16, name="out"),
    ]
    run_kernel(module, "normalise", (1, 1, 1), (1, 1, 1), arguments)
    np.testing.assert_array_equal(out.view(np.uint16), expected(x).view(np.uint16))


@pytest.mark.parametrize("backend", [CUDA, CPU], ids=lambda backend: backend.name)
def test_every_tile_gets_a_layout(backend: object) -> None:
    laid_out = assign_layouts(normalisation(), backend)
    verify_laid_out(laid_out)
    tiles = [v for op in all_ops(laid_out.body) for v in results_of(op) if isinstance(v.type, Tile)]
    assert tiles
    assert all(tile.type.layout is not None for tile in tiles)
    text = print_function(laid_out)
    assert text.count("tile[f16, 8, 128, ") >= 3
    folds = [op for op in all_ops(laid_out.body) if isinstance(op, tir.Reduce)]
    assert [op.result.type.shape for op in folds] == [(ROWS, 1), (ROWS, 1)]
