"""Device functions on scalars, threads and lanes; folds and broadcasts of 2-D tiles; what a run costs."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.reference.build import kernel, run
from transpile import dtypes
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.reference.interpreter import call_device
from transpile.typing.types import Pointer, Scalar, Tile


def collatz() -> tir.Function:
    """How many steps `n` takes to 1; 0 for what is below: loops, branches and returns that differ by lane."""
    b = Builder()
    n = b.fresh(Scalar(dtypes.I64), "n")
    zero, one, two, three = (b.const(value, dtypes.I64) for value in range(4))
    small = b.apply("lt", n, one)
    b.add(tir.If(small, b.block(lambda: tir.Return(zero)), b.block(lambda: tir.Yield()), ()))
    now, steps = b.fresh(Scalar(dtypes.I64), "now"), b.fresh(Scalar(dtypes.I64), "steps")
    results = b.fresh(Scalar(dtypes.I64)), b.fresh(Scalar(dtypes.I64))
    test = b.block(lambda: tir.Condition(b.apply("ne", now, one)))

    def body() -> tir.Terminator:
        even = b.apply("eq", b.apply("mod", now, two), zero)
        after = b.fresh(Scalar(dtypes.I64))
        half = b.block(lambda: tir.Yield((b.apply("floordiv", now, two),)))
        more = b.block(lambda: tir.Yield((b.apply("add", b.apply("mul", now, three), one),)))
        b.add(tir.If(even, half, more, (after,)))
        return tir.Yield((after, b.apply("add", steps, one)))

    b.add(tir.While((n, zero), (now, steps), test, b.block(body), results))
    return tir.Function(
        key="collatz",
        name="collatz",
        base="collatz",
        kind="device",
        parameters=(tir.Parameter(value=n),),
        result=Scalar(dtypes.I64),
        body=b.finish(tir.Return(results[1])),
    )


def steps_of(n: int) -> int:
    steps = 0
    while n > 1:
        n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
    return steps


def test_from_python() -> None:
    module = tir.Module(stem="m", functions=(collatz(),))
    assert [call_device(module, "collatz", [n]) for n in (-3, 0, 1, 7, 27)] == [0, 0, 0, 16, 111]


def test_lane_by_lane_of_tiles() -> None:
    b = Builder()
    out = b.fresh(Pointer(dtypes.I64), "out")
    program = b.index("program_id")
    lane = b.arange(64)
    at = b.apply("add", lane, b.broadcast(b.apply("mul", program, b.const(64, dtypes.I64)), (64,)))
    b.store(out, at, b.call("collatz", dtypes.I64, [at]))
    found = np.zeros(192, np.int64)
    run(kernel(b, "tile", [out]), (3, 1, 1), (1, 1, 1), [found], [collatz()])
    assert found.tolist() == [steps_of(n) for n in range(192)]


def test_of_what_is_the_same_for_all() -> None:
    """Every program gets the one answer of a call on a constant, also as a tile that repeats."""
    b = Builder()
    out = b.fresh(Pointer(dtypes.I64), "out")
    seven = b.const(7, dtypes.I64)
    program = b.index("program_id")
    repeated = b.call("collatz", dtypes.I64, [b.broadcast(seven, (4,))])
    b.store(out, program, b.apply("add", b.reduce("sum", repeated), b.call("collatz", dtypes.I64, [seven])))
    found = np.zeros(5, np.int64)
    run(kernel(b, "tile", [out]), (5, 1, 1), (1, 1, 1), [found], [collatz()])
    assert found.tolist() == [80] * 5


def test_of_threads() -> None:
    b = Builder()
    out = b.fresh(Pointer(dtypes.I64), "out")
    thread = b.index("thread_id")
    b.store(b.offset(out, thread), None, b.call("collatz", dtypes.I64, [thread]))
    found = np.zeros(50, np.int64)
    run(kernel(b, "thread", [out]), (1, 1, 1), (50, 1, 1), [found], [collatz()])
    assert found.tolist() == [steps_of(n) for n in range(50)]


def outer(b: Builder, rows: int, columns: int) -> tuple[Value, Value, Value]:
    """row, column, and row * columns + column as tiles of [rows, columns]."""
    row, column = b.fresh(Tile(dtypes.I64, (rows, 1))), b.fresh(Tile(dtypes.I64, (1, columns)))
    b.add(tir.Arange(row, rows, axis=0))
    b.add(tir.Arange(column, columns, axis=1))
    shape = (rows, columns)
    full = b.broadcast(row, shape), b.broadcast(column, shape)
    width = b.broadcast(b.const(columns, dtypes.I64), shape)
    return (*full, b.apply("add", b.apply("mul", full[0], width), full[1]))


def halving(values: np.ndarray, axis: int) -> np.ndarray:
    values = np.moveaxis(values, axis, 0)
    while len(values) > 1:
        half = len(values) // 2
        values = values[:half] + values[half:]
    return np.moveaxis(values, 0, axis)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_folds_of_two_dimensions(axis: int | None) -> None:
    b = Builder()
    x, out = b.fresh(Pointer(dtypes.F64, const=True), "x"), b.fresh(Pointer(dtypes.F64), "out")
    _, _, at = outer(b, 4, 16)
    loaded = b.load(x, at)
    folded = b.reduce("sum", loaded, axis)
    b.store(out, at, b.apply("sub", loaded, b.broadcast(folded, (4, 16))))
    values, found = np.random.default_rng(0).normal(size=(4, 16)), np.zeros((4, 16))
    run(kernel(b, "tile", [x, out]), (1, 1, 1), (1, 1, 1), [values, found])
    total = halving(values.reshape(-1), 0).reshape(1, 1) if axis is None else halving(values, axis)
    assert found.tobytes() == (values - total).tobytes()


def test_a_fold_of_what_repeats_counts_every_lane() -> None:
    b = Builder()
    out = b.fresh(Pointer(dtypes.I64), "out")
    row, _, _ = outer(b, 4, 8)
    for place, axis in enumerate([None, 0, 1]):
        folded = b.reduce("sum", row, axis)
        b.store(out, b.const(place, dtypes.I64), b.reduce("max", folded) if axis is not None else folded)
    found = np.zeros(3, np.int64)
    run(kernel(b, "tile", [out]), (1, 1, 1), (1, 1, 1), [found])
    assert found.tolist() == [48, 6, 24]


def row_statistics() -> tir.Function:
    b = Builder()
    n, x, out = (
        b.fresh(Scalar(dtypes.I64), "n"),
        b.fresh(Pointer(dtypes.F64, True), "x"),
        b.fresh(Pointer(dtypes.F64), "out"),
    )
    shape = (1024,)
    program = b.index("program_id")
    at = b.apply("add", b.broadcast(b.apply("mul", program, b.const(1024, dtypes.I64)), shape), b.arange(1024))
    mask = b.apply("lt", at, b.broadcast(n, shape))
    zeros = b.broadcast(b.const(0.0, dtypes.F64), shape)
    xs = b.load(x, at, mask, zeros)
    count = b.cast(b.reduce("sum", mask), dtypes.F64)
    mean = b.apply("truediv", b.reduce("sum", xs), count)
    off = b.apply("sub", xs, b.broadcast(mean, shape))
    spread = b.reduce("sum", b.apply("where", mask, b.apply("mul", off, off), zeros))
    slot = b.apply("mul", program, b.const(2, dtypes.I64))
    b.store(out, slot, mean)
    b.store(out, b.apply("add", slot, b.const(1, dtypes.I64)), b.apply("truediv", spread, count))
    return kernel(b, "tile", [n, x, out])


def test_row_statistics_of_a_thousand_programs_take_no_time() -> None:
    x, found = np.random.default_rng(9).normal(size=(1000, 1024)), np.zeros((1000, 2))
    started = time.perf_counter()
    run(row_statistics(), (1000, 1, 1), (1, 1, 1), [x.size, x, found])
    assert time.perf_counter() - started < 1.0
    mean = halving(x, 1) / 1024
    assert found.tobytes() == np.hstack([mean, halving((x - mean) ** 2, 1) / 1024]).tobytes()
