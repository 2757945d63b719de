"""Tile kernels built by hand, as the checker builds them."""

from __future__ import annotations

from transpile import dtypes
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.typing.types import Pointer, Scalar


def parameter(b: Builder, name: str, dtype: dtypes.DType, pointer: str = "") -> Value:
    """A scalar, or with `pointer` "in" or "out" a pointer."""
    return b.fresh(Pointer(dtype, const=pointer == "in") if pointer else Scalar(dtype), name)


def kernel(b: Builder, name: str, parameters: tuple[Value, ...], alias: bool = False) -> tir.Function:
    return tir.Function(
        key=name,
        name=name,
        base=name,
        kind="tile",
        parameters=tuple(tir.Parameter(value=value) for value in parameters),
        result=None,
        body=b.finish(tir.Return()),
        alias=alias,
    )


def saxpy(size: int = 256) -> tir.Function:
    b = Builder()
    n, a = parameter(b, "n", dtypes.I64), parameter(b, "a", dtypes.F64)
    x, y = parameter(b, "x", dtypes.F64, "in"), parameter(b, "y", dtypes.F64, "out")
    b.note(f"offsets = tile.program_id() * {size} + tile.arange({size})")
    first = b.apply("mul", b.index("program_id"), b.const(size, dtypes.I64))
    offsets = b.apply("add", b.broadcast(first, (size,)), b.arange(size), name="offsets")
    b.note("mask = offsets < n")
    mask = b.apply("lt", offsets, b.broadcast(n, (size,)), name="mask")
    b.note("xs = tile.load(x, offsets, mask)")
    zero = b.broadcast(b.const(0.0, dtypes.F64), (size,))
    xs = b.load(x, offsets, mask, zero, name="xs")
    b.note("ys = tile.load(y, offsets, mask)")
    ys = b.load(y, offsets, mask, zero, name="ys")
    b.note("tile.store(y, offsets, a * xs + ys, mask)")
    b.store(y, offsets, b.apply("add", b.apply("mul", b.broadcast(a, (size,)), xs), ys), mask)
    return kernel(b, "saxpy", (n, a, x, y))


def block_max(size: int = 64) -> tir.Function:
    b = Builder()
    x, out = parameter(b, "x", dtypes.F64, "in"), parameter(b, "out", dtypes.F64, "out")
    b.note("pid = tile.program_id()")
    pid = b.index("program_id", name="pid")
    b.note(f"values = tile.load(x, pid * {size} + tile.arange({size}))")
    first = b.apply("mul", pid, b.const(size, dtypes.I64))
    values = b.load(x, b.apply("add", b.broadcast(first, (size,)), b.arange(size)), name="values")
    b.note("tile.store(out, pid, tile.max(values))")
    b.store(out, pid, b.reduce("max", values))
    return kernel(b, "block_max", (x, out))


def row_stats(size: int = 1024, real: dtypes.DType = dtypes.F64) -> tir.Function:
    b = Builder()
    n = parameter(b, "n", dtypes.I64)
    x, out = parameter(b, "x", real, "in"), parameter(b, "out", real, "out")
    b.note("pid = tile.program_id()")
    pid = b.index("program_id", name="pid")
    b.note(f"offsets = pid * {size} + tile.arange({size})")
    first = b.apply("mul", pid, b.const(size, dtypes.I64))
    offsets = b.apply("add", b.broadcast(first, (size,)), b.arange(size), name="offsets")
    b.note("mask = offsets < n")
    mask = b.apply("lt", offsets, b.broadcast(n, (size,)), name="mask")
    b.note("xs = tile.load(x, offsets, mask)")
    zero = b.broadcast(b.const(0.0, real), (size,))
    xs = b.load(x, offsets, mask, zero, name="xs")
    b.note("total = tile.sum(xs)")
    total = b.reduce("sum", xs, name="total")
    b.note("count = tile.sum(mask)")
    count = b.reduce("sum", mask, name="count")
    b.note("mean = total / count")
    mean = b.apply("truediv", total, b.cast(count, real), name="mean")
    b.note("spread = tile.sum(tile.where(mask, (xs - mean) * (xs - mean), 0.0))")
    left, right = (b.apply("sub", xs, b.broadcast(mean, (size,))) for _ in range(2))
    spread = b.reduce("sum", b.apply("where", mask, b.apply("mul", left, right), zero), name="spread")
    b.note("tile.store(out, pid * 2, mean)")
    two, one = b.const(2, dtypes.I64), b.const(1, dtypes.I64)
    b.store(out, b.apply("mul", pid, two), mean)
    b.note("tile.store(out, pid * 2 + 1, spread / count)")
    ratio = b.apply("truediv", spread, b.cast(count, real))
    b.store(out, b.apply("add", b.apply("mul", pid, two), one), ratio)
    return kernel(b, "row_stats", (n, x, out))


def folded_in_turns(size: int = 128, real: dtypes.DType = dtypes.F64) -> tir.Function:
    """One fold a turn, which needs the last one's result: its stage is written again while others may still read it."""
    b = Builder()
    x, out = parameter(b, "x", real, "in"), parameter(b, "out", real, "out")
    lanes = b.load(x, b.arange(size))
    first = b.const(1.0, real)
    total, result, turn = (b.fresh(Scalar(dtype)) for dtype in (real, real, dtypes.I64))
    start, stop, step = (b.const(value, dtypes.I64) for value in (0, 5, 1))
    body = b.block(lambda: tir.Yield((b.reduce("sum", b.apply("mul", lanes, b.broadcast(total, (size,)))),)))
    b.add(tir.For(turn, start, stop, step, (first,), (total,), body, (result,)))
    b.store(out, start, result)
    return kernel(b, "folded_in_turns", (x, out))


def scanned_in_turns(size: int = 128, turns: int = 4) -> tir.Function:
    """One scan a turn, of what the last one gave: as `folded_in_turns`."""
    b = Builder()
    x, out = parameter(b, "x", dtypes.F64, "in"), parameter(b, "out", dtypes.F64, "out")
    lanes = b.arange(size)
    first = b.load(x, lanes)
    carried, result = (b.fresh(first.type) for _ in range(2))
    start, stop, step = (b.const(value, dtypes.I64) for value in (0, turns, 1))
    body = b.block(lambda: tir.Yield((b.scan("cumsum", carried),)))
    b.add(tir.For(b.fresh(Scalar(dtypes.I64)), start, stop, step, (first,), (carried,), body, (result,)))
    b.store(out, lanes, result)
    return kernel(b, "scanned_in_turns", (x, out))
