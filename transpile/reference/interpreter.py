"""The interpreter of TIR: runs the typed program of a kernel for many programs or blocks at once, as NumPy arrays with
an axis over them. It defines what a kernel means; nothing here knows Python syntax, types or layouts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.ir.walk import all_ops, results_of
from transpile.ops.convert import hold, number
from transpile.reference.execute import Program
from transpile.reference.frame import Batch, Call, Frame, Held
from transpile.reference.memory import Buffer, Pointers, PointerValue
from transpile.typing.types import Pointer, Scalar, Tile, Type

_LANES: Final = 1 << 16  # of the widest value of a batch: it stays in the cache, and memory stays modest
_BYTES: Final = 1 << 26  # of all arrays of blocks and threads of a batch


def run_kernel(
    module: tir.Module,
    key: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[object],
) -> None:
    """Runs every program (block) of `grid`. Pointer arguments are `PointerValue`s; scalars are in range already.

    Raises KernelFault at the first access out of bounds, and where a barrier or shuffle is not reached by all.
    """
    program = Program(module)
    function = module.function(key)
    held = [_held(parameter, value) for parameter, value in zip(function.parameters, arguments, strict=True)]
    with np.errstate(all="ignore"):
        for batch in _batches(module, function, grid, block, arguments):
            size = batch.count * batch.threads
            frame = Frame(Call(batch, size, np.arange(size)))
            frame.bind([parameter.value for parameter in function.parameters], held)
            program.run(function, frame)


def call_device(module: tir.Module, key: str, arguments: Sequence[object]) -> bool | int | float:
    """What the device function returns for these scalars."""
    function = module.function(key)
    held = [_held(parameter, value) for parameter, value in zip(function.parameters, arguments, strict=True)]
    with np.errstate(all="ignore"):
        frame = Frame(Call(None, 1, np.zeros(1, np.int64)))
        frame.bind([parameter.value for parameter in function.parameters], held)
        found = Program(module).run(function, frame)
    if found is None or isinstance(found, Pointers):
        raise InternalError("a device function returns a scalar", function.key)
    assert function.result is not None
    return number(found, function.result.dtype)


def _held(parameter: tir.Parameter, value: object) -> Held:
    kind: Type = parameter.value.type
    if isinstance(kind, Pointer):
        if not isinstance(value, PointerValue):
            raise InternalError("a pointer argument is a PointerValue", value)
        offset = None if value.offset == 0 else np.array([value.offset], np.int64)
        return Pointers((Buffer.of_argument(value),), offset)
    assert isinstance(kind, Scalar)
    given = value if parameter.static is None else parameter.static
    assert isinstance(given, bool | int | float)
    held: Held = hold(given, kind.dtype)
    return held


def _batches(
    module: tir.Module,
    function: tir.Function,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[object],
) -> Iterator[Batch]:
    is_threads = function.kind == "thread"
    width = math.prod(block) if is_threads else _widest(function)
    together = max(1, min(_LANES // width, _BYTES // max(1, _arrays(module, function, width, arguments))))
    total = math.prod(grid)
    for first in range(0, total, together):
        yield Batch(grid, block, first, min(together, total - first), is_threads)


def _widest(function: tir.Function) -> int:
    """Lanes of the widest tile of a program."""
    kinds = (value.type for op in all_ops(function.body) for value in results_of(op))
    return max((kind.lanes for kind in kinds if isinstance(kind, Tile)), default=1)


def _arrays(module: tir.Module, function: tir.Function, width: int, arguments: Sequence[object]) -> int:
    """Bytes of the arrays that a block or program has of its own, with those of any device function for each lane."""
    reached = [function, *(one for one in module.functions if one.kind == "device")]
    allocs = [op for one in reached for op in all_ops(one.body) if isinstance(op, tir.Alloc)]
    given = {parameter.value: value for parameter, value in zip(function.parameters, arguments, strict=True)}
    total = 0
    for op in allocs:
        count = op.count if isinstance(op.count, int) else given[op.count]
        assert isinstance(count, int)
        total += count * op.result.type.dtype.bytes * (width if op.space == "local" else 1)
    return total
