"""Barriers, shuffles and the coordinates of threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tests.reference.build import Three, kernel, run
from transpile import dtypes
from transpile.diagnostics.launch import KernelFault
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.typing.types import Pointer


def linear(b: Builder, kinds: tuple[tir.IndexKind, tir.IndexKind]) -> Value:
    """x + X·(y + Y·z) of ids and sizes."""
    where, size = kinds
    rest = b.apply("add", b.index(where, 1), b.apply("mul", b.index(size, 1), b.index(where, 2)))
    return b.apply("add", b.index(where, 0), b.apply("mul", b.index(size, 0), rest))


@pytest.mark.parametrize(("grid", "block"), [((5, 1, 1), (7, 1, 1)), ((2, 3, 4), (4, 2, 3)), ((1, 5, 1), (1, 1, 6))])
def test_coordinates_count_x_fastest(grid: Three, block: Three) -> None:
    b = Builder()
    out = b.fresh(Pointer(dtypes.I64), "out")
    number = linear(b, ("block_id", "grid_dim"))
    thread = linear(b, ("thread_id", "block_dim"))
    threads = block[0] * block[1] * block[2]
    at = b.apply("add", b.apply("mul", number, b.const(threads, dtypes.I64)), thread)
    coordinates = [b.index(kind, axis) for kind in ("block_id", "thread_id") for axis in range(3)]
    for place, value in enumerate(coordinates):
        slot = b.apply("add", b.apply("mul", at, b.const(6, dtypes.I64)), b.const(place, dtypes.I64))
        b.store(b.offset(out, slot), None, value)
    found = np.full(np.prod(grid) * threads * 6, -1)
    run(kernel(b, "thread", [out]), grid, block, [found])
    blocks = itertools.product(range(grid[2]), range(grid[1]), range(grid[0]))
    inner = list(itertools.product(range(block[2]), range(block[1]), range(block[0])))
    expected = [[*outer[::-1], *one[::-1]] for outer in blocks for one in inner]
    assert found.reshape(-1, 6).tolist() == expected


JUDGES: dict[str, Callable[[int, int], int]] = {
    "xor": lambda lane, count: lane ^ (count % 32),
    "idx": lambda lane, count: count % 32,
    "up": lambda lane, count: lane - count % 32 if lane >= count % 32 else lane,
    "down": lambda lane, count: lane + count % 32 if lane + count % 32 < 32 else lane,
}


@pytest.mark.parametrize("kind", JUDGES)
@pytest.mark.parametrize("count", [0, 1, 5, 16, 31, 32, 33, 64 + 7, -1, -33])
def test_shuffles_stay_in_groups_of_32(kind: str, count: int) -> None:
    b = Builder()
    out = b.fresh(Pointer(dtypes.I64), "out")
    at = b.apply("add", b.apply("mul", b.index("block_id"), b.index("block_dim")), b.index("thread_id"))
    b.store(b.offset(out, at), None, b.shuffle(kind, at, b.const(count, dtypes.I64)))
    found = np.zeros(3 * 96, np.int64)
    run(kernel(b, "thread", [out]), (3, 1, 1), (96, 1, 1), [found])
    assert found.tolist() == [at - at % 32 + JUDGES[kind](at % 32, count) for at in range(3 * 96)]


def test_each_thread_may_name_its_own_lane() -> None:
    b = Builder()
    out = b.fresh(Pointer(dtypes.F64), "out")
    thread = b.index("thread_id")
    back = b.apply("sub", b.const(31, dtypes.I64), thread)
    b.store(b.offset(out, thread), None, b.shuffle("idx", b.cast(thread, dtypes.F64), back))
    found = np.zeros(64)
    run(kernel(b, "thread", [out]), (1, 1, 1), (64, 1, 1), [found])
    assert found.tolist() == [float(value) for value in (*range(31, -1, -1), *range(63, 31, -1))]


def behind(condition: Callable[[Builder], Value], inside: Callable[[Builder], None]) -> tir.Function:
    """`if condition: inside`."""
    b = Builder()
    cond = condition(b)

    def then() -> tir.Terminator:
        inside(b)
        return tir.Yield()

    b.add(tir.If(cond, b.block(then), b.block(lambda: tir.Yield()), ()))
    return kernel(b, "thread", [])


def below(what: tir.IndexKind, limit: int) -> Callable[[Builder], Value]:
    return lambda b: b.apply("lt", b.index(what), b.const(limit, dtypes.I64))


def test_a_barrier_wants_the_whole_block() -> None:
    run(behind(below("block_id", 2), lambda b: b.barrier("block")), (5, 1, 1), (48, 1, 1), [])
    with pytest.raises(KernelFault) as caught:
        run(behind(below("thread_id", 20), lambda b: b.barrier("block")), (5, 1, 1), (48, 1, 1), [])
    found = caught.value.diagnostic
    assert found.code == "divergent-barrier"
    assert found.primary.text == "20 of 48 threads are here"
    assert found.notes == ("in block 0; thread 20 is not here",)


@pytest.mark.parametrize("what", ["shuffle", "syncwarp"])
def test_a_group_must_be_whole(what: str) -> None:
    def inside(b: Builder) -> None:
        if what == "shuffle":
            b.shuffle("xor", b.index("thread_id"), b.const(1, dtypes.I64))
        else:
            b.barrier("warp")

    run(behind(below("thread_id", 32), inside), (2, 1, 1), (96, 1, 1), [])
    with pytest.raises(KernelFault) as caught:
        run(behind(below("thread_id", 40), inside), (2, 1, 1), (96, 1, 1), [])
    found = caught.value.diagnostic
    assert found.code == "divergent-shuffle"
    assert found.primary.text == "8 of 32 threads are here"
    assert found.notes == ("in block 0, group 1; thread 40 is not here",)


def test_the_last_group_of_a_block_may_be_short() -> None:
    run(behind(below("thread_id", 40), lambda b: b.barrier("warp")), (2, 1, 1), (40, 1, 1), [])


def test_threads_that_returned_are_missed_at_a_barrier() -> None:
    b = Builder()
    cond = below("thread_id", 3)(b)
    b.add(tir.If(cond, b.block(lambda: tir.Return()), b.block(lambda: tir.Yield()), ()))
    b.barrier("block")
    with pytest.raises(KernelFault) as caught:
        run(kernel(b, "thread", []), (1, 1, 1), (8, 1, 1), [])
    assert caught.value.diagnostic.primary.text == "5 of 8 threads are here"
