"""Lowered tile kernels, simulated thread by thread, give the bits of the reference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.lowering import programs
from tests.lowering.random_programs import ROOM, random_kernel
from tests.lowering.simulator import Address, simulate
from transpile import dtypes
from transpile.ir import lir, tir
from transpile.ir.verify import verify_function
from transpile.ir.verify_lir import verify_lowered
from transpile.ir.walk import all_ops
from transpile.lowering.tiles import lower_tiles
from transpile.reference.interpreter import run_kernel
from transpile.reference.pointer import PointerValue
from transpile.typing.types import Pointer


@dataclass(frozen=True)
class Target:
    is_gpu: bool
    max_threads_per_tile: int


CPU, WARP, BLOCK, WIDE = Target(False, 1), Target(True, 32), Target(True, 64), Target(True, 128)


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return left.tobytes() == right.tobytes() or bool(np.array_equal(left, right, equal_nan=left.dtype.kind == "f"))


def copies(arguments: list[object]) -> list[object]:
    """New arrays; an array that comes twice stays one."""
    made = {id(a): np.copy(a) for a in arguments if isinstance(a, np.ndarray)}
    return [made.get(id(a), a) for a in arguments]


def compare(function: tir.Function, arguments: list[object], programs: int, target: Target, seed: int = 0) -> None:
    """Runs the reference and the simulation on copies of the arguments; the arrays must end equal."""
    verify_function(function)
    theirs, ours = copies(arguments), copies(arguments)
    module = tir.Module(stem="test", functions=(function,))
    given: list[object] = []
    for parameter, argument in zip(function.parameters, theirs, strict=True):
        kind = parameter.value.type
        if isinstance(kind, Pointer):
            given.append(PointerValue.whole(argument, kind.dtype, const=kind.const, name=parameter.name))
        else:
            given.append(argument)
    run_kernel(module, function.key, (programs, 1, 1), (1, 1, 1), given)
    kernel = lower_tiles(function, target)
    verify_lowered(kernel)
    for program in range(programs):
        simulate(kernel, program, [_lent(a, p) for a, p in zip(ours, function.parameters, strict=True)], seed)
    for left, right in zip(theirs, ours, strict=True):
        if isinstance(left, np.ndarray):
            assert same_bits(left, np.asarray(right))


def _lent(argument: object, parameter: tir.Parameter) -> object:
    """An argument as the simulation takes it."""
    if isinstance(argument, np.ndarray):
        return Address(argument)
    return np.asarray(argument, parameter.value.type.dtype.numpy)[()]


@pytest.mark.parametrize("target", [CPU, WARP, BLOCK], ids=str)
def test_saxpy(target: Target) -> None:
    rng = np.random.default_rng(1)
    compare(programs.saxpy(128), [300, 1.5, rng.normal(size=300), rng.normal(size=300)], 3, target)


@pytest.mark.parametrize("target", [CPU, WARP, BLOCK, WIDE], ids=str)
@pytest.mark.parametrize("size", [1, 2, 16, 32, 64, 256])
def test_block_max(size: int, target: Target) -> None:
    x = np.random.default_rng(1).normal(size=2 * size)
    compare(programs.block_max(size), [x, np.zeros(2)], 2, target)


@pytest.mark.parametrize("target", [CPU, WARP, BLOCK, WIDE], ids=str)
@pytest.mark.parametrize("size", [4, 32, 64, 512])
def test_row_stats(size: int, target: Target) -> None:
    x = np.random.default_rng(1).normal(size=size + 3)
    compare(programs.row_stats(size), [size + 3, x, np.zeros(4)], 2, target)


@pytest.mark.parametrize("target", [WARP, BLOCK, WIDE], ids=str)
@pytest.mark.parametrize("size", [64, 256, 1024])
def test_row_stats_of_threads_that_hold_groups(size: int, target: Target) -> None:
    x = np.random.default_rng(1).normal(size=size + 3).astype(np.float32)
    compare(programs.row_stats(size, dtypes.F32), [size + 3, x, np.zeros(4, np.float32)], 2, target)


@pytest.mark.parametrize("seed", range(30))
def test_random_kernels(seed: int) -> None:
    function = random_kernel(seed)
    rng = np.random.default_rng(seed)
    arrays: list[object] = [rng.integers(-9, 9, ROOM), rng.normal(size=ROOM), rng.normal(size=ROOM)]
    arrays += [rng.integers(-9, 9, ROOM), 5, 1.25]
    for target in (CPU, WARP, BLOCK, WIDE):
        compare(function, arrays, 1, target, seed)


@pytest.mark.parametrize("seed", range(202, 222))
def test_random_kernels_whose_threads_hold_groups(seed: int) -> None:
    function = replace(random_kernel(seed, dtypes.F32), alias=seed % 4 == 0)
    rng = np.random.default_rng(seed)
    integers, floats = rng.integers(-9, 9, ROOM), rng.normal(size=(2, ROOM)).astype(np.float32)
    for target in (WARP, BLOCK, WIDE):
        compare(function, [integers, floats[0], floats[1], integers + 1, 5, 1.25], 1, target, seed)


@pytest.mark.parametrize("seed", range(100, 115))
def test_random_kernels_whose_pointers_overlap(seed: int) -> None:
    function = replace(random_kernel(seed), alias=True)
    rng = np.random.default_rng(seed)
    integers, floats = rng.integers(-9, 9, ROOM), rng.normal(size=ROOM)
    for target in (CPU, WARP, BLOCK, WIDE):
        compare(function, [integers, floats, floats, integers, 5, 1.25], 1, target, seed)


@pytest.mark.parametrize("seed", range(6))
def test_a_stage_is_not_written_while_it_is_read(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=128)
    compare(programs.folded_in_turns(), [x, np.zeros(1)], 1, WIDE, seed)
    y = np.random.default_rng(seed).normal(size=512).astype(np.float32)
    compare(programs.folded_in_turns(512, dtypes.F32), [y, np.zeros(1, np.float32)], 1, WIDE, seed)
    for size in (128, 2048):
        x = np.random.default_rng(seed).normal(size=size)
        compare(programs.scanned_in_turns(size), [x, np.zeros(size)], 1, WIDE, seed)


def barriers(function: tir.Function, target: Target) -> int:
    return sum(isinstance(op, tir.Barrier) for op in all_ops(lower_tiles(function, target).function.body))


def test_straight_line_code_has_no_barrier_that_it_does_not_need() -> None:
    """Three folds of two dtypes, and an update in place: the folds' own barriers do."""
    assert barriers(programs.row_stats(), WIDE) == 0
    assert barriers(programs.saxpy(), WIDE) == 0
    assert barriers(programs.folded_in_turns(), WIDE) == 1
    assert barriers(programs.folded_in_turns(), CPU) == 0
    assert barriers(programs.scanned_in_turns(), WIDE) == 1
    assert barriers(programs.scanned_in_turns(), CPU) == 0


def test_the_random_kernels_hold_groups() -> None:
    functions = [random_kernel(seed, dtypes.F32) for seed in range(202, 222)]
    functions += [programs.row_stats(256, dtypes.F32), programs.folded_in_turns(512, dtypes.F32)]
    kernels = [lower_tiles(function, target) for function in functions for target in (WARP, BLOCK)]
    ops = [op for kernel in kernels for op in all_ops(kernel.function.body)]
    assert sum(isinstance(op, lir.LoadGroups) for op in ops) > 20
    assert sum(isinstance(op, lir.StoreGroups) for op in ops) > 20
    assert sum(isinstance(op, lir.Fold) and op.group > 1 for op in ops) > 4
