"""Where a program or thread is, and what the threads of a block do together: barriers and shuffles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile.diagnostics import calls as faults
from transpile.ir import hir, tir
from transpile.typing.context import Context
from transpile.typing.forms import THREAD, TILE, Arguments, Form, Rule
from transpile.typing.operand import Operand, strong

AXES: Final = (0, 1, 2)


def _axis(context: Context, argument: hir.Expression | None) -> int | None:
    """A constant 0, 1 or 2; absent it is 0."""
    if argument is None:
        return 0
    operand = context.evaluate(argument)
    if operand is None:
        return None
    axis = operand.constant
    if isinstance(axis, bool) or not isinstance(axis, int) or axis not in AXES:
        context.report(faults.axis(operand))
        return None
    return axis


def _index(kind: tir.IndexKind) -> Rule:
    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        axis = _axis(context, arguments[0])
        if axis is None:
            return None
        context.builder.span = node.span
        return strong(context.builder.index(kind, axis), node.span)

    return rule


def _global_id(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    axis = _axis(context, arguments[0])
    if axis is None:
        return None
    context.builder.span = node.span
    block = context.builder.index("block_id", axis)
    size = context.builder.index("block_dim", axis)
    thread = context.builder.index("thread_id", axis)
    first = context.builder.apply("mul", block, size)
    return strong(context.builder.apply("add", first, thread), node.span)


def _barrier(scope: str) -> Rule:
    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        context.builder.span = node.span
        context.builder.barrier(scope)
        return None

    return rule


def _shuffle(kind: str) -> Rule:
    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        value, lane = (context.evaluate(argument) for argument in arguments if argument is not None)
        if value is None or lane is None:
            return None
        if not value.is_scalar:
            context.report(faults.shuffle_value(value))
            return None
        if not lane.is_scalar or not lane.dtype.is_integer:
            context.report(faults.shuffle_lane(lane))
            return None
        context.builder.span = node.span
        operand, index = context.value(value), context.index(lane)
        return strong(context.builder.shuffle(kind, operand, index), node.span)

    return rule


FORMS: Final[Mapping[str, Form]] = {
    "tile.program_id": Form(("axis",), 0, TILE, _index("program_id")),
    "tile.num_programs": Form(("axis",), 0, TILE, _index("num_programs")),
    "cuda.thread_id": Form(("axis",), 0, THREAD, _index("thread_id")),
    "cuda.block_id": Form(("axis",), 0, THREAD, _index("block_id")),
    "cuda.block_dim": Form(("axis",), 0, THREAD, _index("block_dim")),
    "cuda.grid_dim": Form(("axis",), 0, THREAD, _index("grid_dim")),
    "cuda.global_id": Form(("axis",), 0, THREAD, _global_id),
    "cuda.syncthreads": Form((), 0, THREAD, _barrier("block"), gives_value=False),
    "cuda.syncwarp": Form((), 0, THREAD, _barrier("warp"), gives_value=False),
    "cuda.shfl_xor": Form(("value", "mask"), 2, THREAD, _shuffle("xor")),
    "cuda.shfl": Form(("value", "lane"), 2, THREAD, _shuffle("idx")),
    "cuda.shfl_up": Form(("value", "delta"), 2, THREAD, _shuffle("up")),
    "cuda.shfl_down": Form(("value", "delta"), 2, THREAD, _shuffle("down")),
}
