"""How work is put into lane loops: as few as the folds allow, and nothing kept that costs little to work out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest

from tests.lowering import programs
from tests.lowering.programs import kernel, parameter
from transpile import dtypes
from transpile.ir import lir, tir
from transpile.ir.builder import Builder
from transpile.ir.walk import all_ops
from transpile.lowering.tiles import lower_tiles


@dataclass(frozen=True)
class Target:
    is_gpu: bool
    max_threads_per_tile: int = 256


CPU, GPU = Target(False), Target(True)


def loops(function: tir.Function, target: Target) -> list[lir.LaneLoop]:
    body = lower_tiles(function, target).function.body
    return [op for op in cast("list[lir.Op]", list(all_ops(body))) if isinstance(op, lir.LaneLoop)]


def kept(function: tir.Function, target: Target) -> list[list[str]]:
    """The names of what each lane loop keeps."""
    return [[result.name for result in loop.results] for loop in loops(function, target)]


def test_elementwise_work_is_one_loop_that_keeps_nothing() -> None:
    assert kept(programs.saxpy(), CPU) == [[]]
    assert kept(programs.saxpy(256), GPU) == []


def test_a_fold_splits_and_integers_are_summed_on_the_way() -> None:
    """The mask is worked out twice rather than kept; the count needs no vec."""
    first, second = loops(programs.row_stats(), CPU)
    assert [result.name for result in first.results] == ["xs"]
    assert [fold.op for fold in first.folds] == ["sum"]
    assert len(second.results) == 1


def test_a_maximum_is_folded_on_the_way_by_a_gpu_alone() -> None:
    assert [len(loop.folds) for loop in loops(programs.block_max(512), GPU)] == [1]
    assert [len(loop.folds) for loop in loops(programs.block_max(512), CPU)] == [0]


def scaled_row(size: int) -> tir.Function:
    """`w` is loaded before the sum of `x` and read after it; `twice` is worked out before and read after."""
    b = Builder()
    x, w = parameter(b, "x", dtypes.F64, "in"), parameter(b, "w", dtypes.F64, "in")
    out = parameter(b, "out", dtypes.F64, "out")
    lanes = b.arange(size)
    xs, ws = b.load(x, lanes, name="xs"), b.load(w, lanes, name="ws")
    twice = b.apply("add", xs, xs, name="twice")
    total = b.reduce("sum", xs, name="total")
    b.store(out, lanes, b.apply("mul", b.apply("mul", twice, b.broadcast(total, (size,))), ws))
    return kernel(b, "scaled_row", (x, w, out))


def test_what_is_read_late_is_worked_out_late() -> None:
    """`twice` follows `xs`, which is kept anyway; a load is delayed on the CPU, where it would only be stored again."""
    assert kept(scaled_row(1024), CPU) == [["xs"], []]
    assert kept(scaled_row(1024), GPU) == [["xs", "ws"], []]


def test_a_store_that_meets_other_lanes_starts_a_loop() -> None:
    b = Builder()
    y = parameter(b, "y", dtypes.F64, "out")
    lanes = b.arange(64)
    after = b.apply("add", lanes, b.broadcast(b.const(1, dtypes.I64), (64,)))
    b.store(y, lanes, b.load(y, after, name="neighbour"))
    assert kept(kernel(b, "shift", (y,)), CPU) == [["neighbour"], []]


@pytest.mark.parametrize(
    ("size", "threads"), [(8, 32), (32, 32), (64, 64), (256, 64), (512, 64), (1024, 128), (4096, 256), (65536, 256)]
)
def test_a_tile_that_is_folded_lies_on_fewer_threads(size: int, threads: int) -> None:
    assert lower_tiles(programs.row_stats(size), GPU).threads == threads
    assert lower_tiles(programs.saxpy(size), GPU).threads == max(32, min(size, 256))


def test_one_lane_a_thread_needs_neither_loop_nor_vec() -> None:
    lowered = lower_tiles(programs.row_stats(64), GPU)
    assert lowered.held == 1
    assert loops(programs.row_stats(64), GPU) == []


def test_a_kernel_without_tiles_is_one_warp_that_stores_once() -> None:
    b = Builder()
    out = parameter(b, "out", dtypes.F64, "out")
    b.store(out, b.index("program_id"), b.const(1.0, dtypes.F64))
    lowered = lower_tiles(kernel(b, "one", (out,)), GPU)
    assert (lowered.threads, lowered.held) == (32, 0)
    guards = [op for op in all_ops(lowered.function.body) if isinstance(op, tir.If)]
    assert len(guards) == 1
