"""Which two accesses of one program may meet at one address, and so where lanes wait for one another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.lowering.programs import kernel, parameter
from transpile import dtypes
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops
from transpile.lowering.tiles import lower_tiles
from transpile.typing.types import Pointer, Scalar


@dataclass(frozen=True)
class Target:
    is_gpu: bool = True
    max_threads_per_tile: int = 64


SIZE = 64
Offsets = Callable[["Program"], Value | None]


class Program:
    """Accesses to one buffer at offsets made by small functions."""

    def __init__(self) -> None:
        self.b = Builder()
        self.y = parameter(self.b, "y", dtypes.F64, "out")
        self.z = parameter(self.b, "z", dtypes.F64, "out")
        self.n = parameter(self.b, "n", dtypes.I64)
        self.index: Value | None = None

    def const(self, value: int) -> Value:
        return self.b.const(value, dtypes.I64)

    def spread(self, value: Value) -> Value:
        return self.b.broadcast(value, (SIZE,))

    def plus(self, left: Value, right: Value | int) -> Value:
        other = self.const(right) if isinstance(right, int) else right
        return self.b.apply("add", left, self.spread(other))

    def times(self, left: Value, right: int) -> Value:
        return self.b.apply("mul", left, self.spread(self.const(right)))

    def lane(self) -> Value:
        return self.b.arange(SIZE)

    def load(self, pointer: Value, offsets: Value) -> Value:
        return self.b.load(pointer, offsets)

    def barriers(self) -> int:
        made = kernel(self.b, "accesses", (self.y, self.z, self.n))
        lowered = lower_tiles(made, Target())
        return sum(isinstance(op, tir.Barrier) for op in all_ops(lowered.function.body))


def lane(p: Program) -> Value:
    return p.lane()


def shifted(p: Program) -> Value:
    return p.plus(p.lane(), 1)


def far(p: Program) -> Value:
    return p.plus(p.lane(), SIZE)


def unknown(p: Program) -> Value:
    return p.plus(p.lane(), p.n)


def even(p: Program) -> Value:
    return p.times(p.lane(), 2)


def odd(p: Program) -> Value:
    return p.plus(p.times(p.lane(), 2), 1)


def reversed_(p: Program) -> Value:
    return p.b.apply("sub", p.spread(p.const(SIZE - 1)), p.lane())


def swapped(p: Program) -> Value:
    return p.b.apply("xor", p.lane(), p.spread(p.n))


def folded(p: Program) -> Value:
    return p.b.apply("and", p.lane(), p.spread(p.const(7)))


def first(p: Program) -> Value:
    return p.const(0)


def beyond(p: Program) -> Value:
    return p.const(SIZE)


@pytest.mark.parametrize(
    ("store", "load", "meet"),
    [
        (lane, lane, False),
        (lane, shifted, True),
        (lane, far, False),
        (lane, unknown, True),
        (unknown, unknown, False),
        (even, odd, False),
        (even, even, False),
        (even, lane, True),
        (reversed_, reversed_, False),
        (reversed_, lane, True),
        (swapped, swapped, False),
        (swapped, lane, True),
        (folded, folded, True),
        (lane, first, True),
        (lane, beyond, False),
        (first, first, False),
        (first, lane, True),
        (beyond, lane, False),
    ],
)
def test_a_load_after_a_store_waits_where_they_may_meet(store: Offsets, load: Offsets, meet: bool) -> None:
    p = Program()
    value = p.spread(p.b.const(1.0, dtypes.F64))
    target = store(p)
    scalar = isinstance(target.type, Scalar) if target is not None else True
    p.b.store(p.y, target, p.b.const(1.0, dtypes.F64) if scalar else value)
    where = load(p)
    loaded = p.b.load(p.y, where)
    p.b.store(p.z, where, loaded)
    assert p.barriers() == meet


def test_different_parameters_do_not_meet_unless_declared() -> None:
    p = Program()
    p.b.store(p.y, p.lane(), p.load(p.z, p.plus(p.lane(), 1)))
    p.b.store(p.z, p.lane(), p.load(p.y, p.plus(p.lane(), 1)))
    made = kernel(p.b, "accesses", (p.y, p.z, p.n), alias=True)
    lowered = lower_tiles(made, Target())
    assert sum(isinstance(op, tir.Barrier) for op in all_ops(lowered.function.body)) >= 2


def test_an_update_in_place_in_rows_needs_no_barrier() -> None:
    """Turn i works on row i alone, and the same thread on the same column."""
    p = Program()
    bounds = (p.const(0), p.n, p.const(1))
    index = p.b.fresh(Scalar(dtypes.I64), "i")

    def turn() -> tir.Terminator:
        row = p.plus(p.lane(), p.b.apply("mul", index, p.const(SIZE)))
        row_again = p.plus(p.lane(), p.b.apply("mul", index, p.const(SIZE)))
        p.b.store(p.y, row_again, p.b.apply("neg", p.load(p.y, row)))
        return tir.Yield()

    p.b.add(tir.For(index, *bounds, (), (), p.b.block(turn), ()))
    assert p.barriers() == 0


def test_rows_that_overlap_need_one() -> None:
    p = Program()
    bounds = (p.const(0), p.n, p.const(1))
    index = p.b.fresh(Scalar(dtypes.I64), "i")

    def turn() -> tir.Terminator:
        row = p.plus(p.lane(), p.b.apply("mul", index, p.const(SIZE // 2)))
        p.b.store(p.y, row, p.b.apply("neg", p.load(p.y, row)))
        return tir.Yield()

    p.b.add(tir.For(index, *bounds, (), (), p.b.block(turn), ()))
    assert p.barriers() == 1


def test_a_table_of_rows_and_columns_needs_no_barrier() -> None:
    """Two loops: the address is row * 4 * SIZE + part * SIZE + lane, each part smaller than the next."""
    p = Program()
    rows, parts = (p.const(0), p.n, p.const(1)), (p.const(0), p.const(4), p.const(1))
    row, part = p.b.fresh(Scalar(dtypes.I64), "row"), p.b.fresh(Scalar(dtypes.I64), "part")

    def inner() -> tir.Terminator:
        base = p.b.apply("add", p.b.apply("mul", row, p.const(4 * SIZE)), p.b.apply("mul", part, p.const(SIZE)))
        p.b.store(p.y, p.plus(p.lane(), base), p.spread(p.b.const(1.0, dtypes.F64)))
        return tir.Yield()

    def outer() -> tir.Terminator:
        p.b.add(tir.For(part, *parts, (), (), p.b.block(inner), ()))
        return tir.Yield()

    p.b.add(tir.For(row, *rows, (), (), p.b.block(outer), ()))
    assert p.barriers() == 0


def test_a_loop_that_restarts_elsewhere_is_not_taken_to_step_evenly() -> None:
    """`for i in range(4): for j in range(i, 200, SIZE)`: the j of two turns of i differ by anything."""
    p = Program()
    i, j = p.b.fresh(Scalar(dtypes.I64), "i"), p.b.fresh(Scalar(dtypes.I64), "j")
    bounds = (p.const(0), p.const(4), p.const(1))

    def inner() -> tir.Terminator:
        p.b.store(p.y, p.plus(p.lane(), j), p.spread(p.b.cast(i, dtypes.F64)))
        return tir.Yield()

    def outer() -> tir.Terminator:
        p.b.add(tir.For(j, i, p.const(200), p.const(SIZE), (), (), p.b.block(inner), ()))
        return tir.Yield()

    p.b.add(tir.For(i, *bounds, (), (), p.b.block(outer), ()))
    assert p.barriers() == 1


def test_what_is_stored_before_a_break_is_seen_after_the_loop() -> None:
    p = Program()
    i = p.b.fresh(Scalar(dtypes.I64), "i")
    bounds = (p.const(0), p.n, p.const(1))
    one = p.spread(p.b.const(1.0, dtypes.F64))

    def leave() -> tir.Terminator:
        p.b.store(p.y, offsets, one)
        return tir.Break()

    def turn() -> tir.Terminator:
        nonlocal offsets
        offsets = p.lane()
        arm = p.b.block(leave)
        p.b.add(tir.If(p.b.apply("lt", i, p.const(3)), arm, tir.Block((), tir.Yield()), ()))
        p.b.store(p.z, p.lane(), one)
        p.b.store(p.z, p.lane(), p.load(p.z, p.plus(p.lane(), 1)))
        return tir.Yield()

    offsets = p.lane()
    p.b.add(tir.For(i, *bounds, (), (), p.b.block(turn), ()))
    before = p.barriers()
    p.b.store(p.z, p.lane(), p.load(p.y, p.plus(p.lane(), 1)))
    assert p.barriers() > before


def test_a_pointer_that_may_be_either_meets_both() -> None:
    p = Program()
    cond = p.b.apply("lt", p.n, p.const(3))
    either = p.b.fresh(Pointer(dtypes.F64), "p")
    p.b.add(tir.If(cond, tir.Block((), tir.Yield((p.y,))), tir.Block((), tir.Yield((p.z,))), (either,)))
    p.b.store(either, p.lane(), p.spread(p.b.const(1.0, dtypes.F64)))
    p.b.store(p.z, p.lane(), p.load(p.y, p.plus(p.lane(), 1)))
    assert p.barriers() >= 1
