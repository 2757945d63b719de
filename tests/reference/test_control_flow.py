"""Control flow of many programs at once against one program at a time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.one_by_one import Run
from tests.reference.random_flow import SLOTS, Flow
from transpile import dtypes
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.ir.verify import verify_function
from transpile.ir.walk import all_ops
from transpile.reference.interpreter import run_kernel
from transpile.reference.memory import PointerValue
from transpile.typing.types import Pointer, Scalar

PROGRAMS = 37


@pytest.mark.parametrize("group", range(10))
def test_random_programs(group: int) -> None:
    for seed in range(group * 40, group * 40 + 40):
        function = Flow(seed).function()
        verify_function(function)
        start = np.random.default_rng(seed).integers(-9, 9, PROGRAMS * SLOTS)
        expected = start.tolist()
        for program in range(PROGRAMS):
            run = Run(program, {function.parameters[0].value.id: expected})
            run.values[function.parameters[0].value.id] = None
            run.block(function.body)
        found = start.copy()
        module = tir.Module(stem="flow", functions=(function,))
        run_kernel(module, "flow", (PROGRAMS, 1, 1), (1, 1, 1), [PointerValue.whole(found, dtypes.I64, name="memory")])
        assert found.tolist() == expected, f"seed {seed}"


def test_the_random_programs_hold_everything() -> None:
    kinds = set()
    ends = set()
    for seed in range(60):
        for op in all_ops(Flow(seed).function().body):
            kinds.add(type(op))
            if isinstance(op, tir.If):
                ends |= {type(op.then.end), type(op.orelse.end)}
    assert {tir.If, tir.For, tir.While, tir.Load, tir.Store} <= kinds
    assert ends == {tir.Yield, tir.Break, tir.Continue, tir.Return}


def counting(start: int, stop: int, step: int) -> list[int]:
    """What a loop over `range(start, stop, step)` sums up, with how often it turned; all bounds read from memory."""
    b = Builder()
    bounds, out = b.fresh(Pointer(dtypes.I64, const=True), "bounds"), b.fresh(Pointer(dtypes.I64), "out")
    zero, one, two = (b.const(value, dtypes.I64) for value in (0, 1, 2))
    given = [b.load(bounds, place) for place in (zero, one, two)]
    index = b.fresh(Scalar(dtypes.I64))
    carried = tuple(b.fresh(Scalar(dtypes.I64)) for _ in range(2))
    results = tuple(b.fresh(Scalar(dtypes.I64)) for _ in range(2))

    def turn() -> tir.Terminator:
        return tir.Yield((b.apply("add", carried[0], index), b.apply("add", carried[1], one)))

    b.add(tir.For(index, given[0], given[1], given[2], (zero, zero), carried, b.block(turn), results))
    b.store(out, zero, results[0])
    b.store(out, one, results[1])
    found = np.zeros(2, np.int64)
    run(b, [bounds, out], [np.array([start, stop, step]), found])
    return [int(value) for value in found]


def run(b: Builder, parameters: list[Value], arrays: list[np.ndarray]) -> None:
    function = tir.Function(
        key="k",
        name="k",
        base="k",
        kind="tile",
        parameters=tuple(tir.Parameter(value=value) for value in parameters),
        result=None,
        body=b.finish(tir.Return()),
    )
    verify_function(function)
    given = [
        PointerValue.whole(array, value.type.dtype, name=value.name)
        for array, value in zip(arrays, parameters, strict=True)
    ]
    run_kernel(tir.Module(stem="m", functions=(function,)), "k", (1, 1, 1), (1, 1, 1), given)


@pytest.mark.parametrize(
    "bounds",
    [
        (0, 5, 1),
        (5, 0, -2),
        (5, 5, 1),
        (0, -3, 1),
        (0, 9, 0),
        (-(2**63), 2**63 - 1, 2**62),
        (2**63 - 1, -(2**63), -(2**63)),
    ],
)
def test_ranges_to_the_ends_of_i64(bounds: tuple[int, int, int]) -> None:
    counts = range(*bounds) if bounds[2] else range(0)
    total = (sum(counts) + 2**63) % 2**64 - 2**63
    assert counting(*bounds) == [total, sum(1 for _ in counts)]
