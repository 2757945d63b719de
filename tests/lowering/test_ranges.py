"""Ranges are sound: whatever integers come in, what the rows make of them is inside; exact operations do not wrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lowering.programs import kernel, parameter
from transpile import dtypes
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.lowering.intervals import NEGATED, Interval, apply, compare, narrowed
from transpile.lowering.ranges import ranges
from transpile.ops.table import OPERATIONS
from transpile.typing.types import Scalar

OPS = ("neg", "pos", "abs", "invert", "add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "shl", "shr")
OPS += ("maximum", "minimum", "fmax", "fmin", "where")
EDGES = (dtypes.I32.min, dtypes.I32.min + 1, -33, -2, -1, 0, 1, 2, 31, 32, 33, dtypes.I32.max - 1, dtypes.I32.max)
NUMBERS = st.sampled_from(EDGES) | st.integers(-40, 40) | st.integers(dtypes.I32.min, dtypes.I32.max)
WITHIN = st.lists(NUMBERS, min_size=3, max_size=3).map(sorted)


@given(st.sampled_from(OPS), WITHIN, WITHIN)
def test_results_are_inside(op: str, left: list[int], right: list[int]) -> None:
    row = OPERATIONS[op]
    operands: list[Interval] = [(left[0], left[2]), (right[0], right[2])][: row.arity]
    numbers = [left[1], right[1]][: row.arity]
    if op == "where":
        operands, numbers = [(0, 1), *operands], [1, *numbers]
    arrays = [np.array([number], np.int32) for number in numbers]
    if op == "where":
        arrays[0] = arrays[0] != 0
    interval, exact = apply(op, operands, dtypes.I32)
    result = int(row.reference(*arrays)[0])
    assert interval[0] <= result <= interval[1]
    if exact and op in ("add", "sub", "mul"):
        assert (
            result
            == {"add": numbers[0] + numbers[1], "sub": numbers[0] - numbers[1], "mul": numbers[0] * numbers[1]}[op]
        )
    if exact and op in ("floordiv", "mod"):
        assert numbers[1] > 0
        assert numbers[0] >= 0


@given(st.sampled_from(sorted(NEGATED)), WITHIN, WITHIN)
def test_comparisons_are_inside_and_narrow_to_what_holds(op: str, left: list[int], right: list[int]) -> None:
    holds = bool(OPERATIONS[op].reference(np.array([left[1]]), np.array([right[1]]))[0])
    first, second = (left[0], left[2]), (right[0], right[2])
    low, high = compare(op, first, second)
    assert low <= holds <= high
    if holds:
        found = narrowed(first, op, second)
        assert found is not None
        assert found[0] <= left[1] <= found[1]


def counting(limit: int | None) -> tuple[tir.Function, int]:
    """`i = 0; while i < limit: i += 1` (limit None: a parameter); and the id of `i + 1`."""
    b = Builder()
    n = parameter(b, "n", dtypes.I64)
    stop = n if limit is None else b.const(limit, dtypes.I64)
    i, done = b.fresh(Scalar(dtypes.I64), "i"), b.fresh(Scalar(dtypes.I64), "i")
    test = b.block(lambda: tir.Condition(b.apply("lt", i, stop)))
    added: list[int] = []

    def turn() -> tir.Terminator:
        following = b.apply("add", i, b.const(1, dtypes.I64))
        added.append(following.id)
        return tir.Yield((following,))

    b.add(tir.While((b.const(0, dtypes.I64),), (i,), test, b.block(turn), (done,)))
    return kernel(b, "counting", (n,)), added[0]


@pytest.mark.parametrize(("limit", "most"), [(100, 100), (None, dtypes.I64.max)])
def test_a_counter_does_not_wrap(limit: int | None, most: int) -> None:
    function, added = counting(limit)
    found = ranges(function)
    assert added in found.exact
    assert found[added] == (1, most)


def test_global_ids_do_not_wrap() -> None:
    b = Builder()
    product = b.apply("mul", b.index("block_id"), b.index("block_dim"))
    where = b.apply("add", product, b.index("thread_id"))
    found = ranges(kernel(b, "where", ()))
    assert {product.id, where.id} <= found.exact
    assert found[where.id] == (0, (2**31 - 2) * 1024 + 1023)


def test_deep_loops_take_little_time() -> None:
    """Work grows with the program, not with a power of its depth."""
    b = Builder()
    seen = 0

    def nest(depth: int, carried: tir.Value) -> tir.Value:
        nonlocal seen
        seen += 1
        bounds = [b.const(value, dtypes.I64) for value in (0, 9, 1)]
        inner, index, result = (b.fresh(Scalar(dtypes.I64)) for _ in range(3))

        def turn() -> tir.Terminator:
            following = b.apply("add", inner, index)
            return tir.Yield((nest(depth - 1, following) if depth else following,))

        b.add(tir.For(index, *bounds, (carried,), (inner,), b.block(turn), (result,)))
        return result

    nest(30, b.const(0, dtypes.I64))
    assert len(ranges(kernel(b, "deep", ()))) > 90
