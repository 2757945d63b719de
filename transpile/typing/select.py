"""Choosing between two expressions by a scalar condition: a `where` of what is free to compute, otherwise an `If`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

from transpile import dtypes
from transpile.diagnostics import typing as faults
from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.source import Span
from transpile.typing.context import Context
from transpile.typing.elementwise import NoShape, join_chosen, join_shapes
from transpile.typing.operand import Operand, constant, is_weak_result
from transpile.typing.types import Pointer, Type
from transpile.typing.variables import hull

Shape = tuple[int, ...] | None
Side = Callable[[], "Operand | None"]
Style = Literal["and", "or", "select"]

MAX_FREE_OPS: Final = 8  # more than these and skipping them is worth a branch
_FREE: Final = (tir.Const, tir.Index, tir.Broadcast, tir.Cast, tir.Apply)
_NEVER_RAISE: Final = frozenset(
    ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "not", "where", "maximum", "minimum")
)


def truth(context: Context, operand: Operand | None) -> Operand | None:
    """A scalar as Python's `bool()` of it; tiles and pointers have no truth value."""
    if operand is None or (operand.is_bool and operand.is_scalar):
        return operand
    if operand.is_tile:
        context.report(faults.tile_condition(operand))
        return None
    if operand.is_pointer:
        context.report(faults.pointer_condition(operand))
        return None
    if operand.constant is not None:
        return constant(operand.constant != 0, operand.span)
    context.builder.span = operand.span
    value = context.builder.cast(context.value(operand), dtypes.BOOL)
    return Operand(type=value.type, span=operand.span, value=value)


def branch(
    context: Context, test: Operand | None, then: Side, orelse: Side, span: Span, style: Style
) -> Operand | None:
    """`then() if test else orelse()`; only the side that a constant test picks is looked at."""
    if test is not None and test.constant is not None:
        return then() if test.constant else orelse()
    with context.collected() as then_ops:
        left = then()
    with context.collected() as orelse_ops:
        right = orelse()
    if test is None or left is None or right is None:
        return None
    if left.is_pointer or right.is_pointer:
        return _pointers(context, test, (left, then_ops), (right, orelse_ops), span)
    if _is_bool_logic(context, left, right, [*then_ops, *orelse_ops], style):
        context.builder.extend([*then_ops, *orelse_ops])
        context.builder.span = span
        sides = (test, left if style == "and" else right)
        result = context.builder.apply(style, *(context.value(side) for side in sides))
        return Operand(type=result.type, span=span, value=result)
    dtype = join_chosen(context, "if else", [left, right], span)
    shape = join_shapes(context, "if else", [left, right])
    if dtype is None or isinstance(shape, NoShape):
        return None
    context.builder.span = span
    values: list[Value] = []
    for operand, ops in ((left, then_ops), (right, orelse_ops)):
        with context.collected() as more:
            values.append(context.shaped(context.value(operand, dtype), shape))
        ops.extend(more)
    result = _merge(context, test, values, then_ops, orelse_ops, shape)
    weak = is_weak_result((left, right))
    bounds = hull(left.known_bounds, right.known_bounds) if weak and dtype.is_integer else None
    return Operand(type=result.type, span=span, value=result, weak=weak, bounds=bounds)


def _is_bool_logic(context: Context, left: Operand, right: Operand, ops: Sequence[tir.Op], style: Style) -> bool:
    """`and`/`or` of bools whose right side is free to compute: one operation, no selection."""
    return style != "select" and left.is_bool and right.is_bool and are_free(context, ops)


def are_free(context: Context, ops: Sequence[tir.Op]) -> bool:
    """Whether `ops` may run though Python would skip them: cheap, no memory, and in a launcher nothing that raises."""
    is_launcher = context.function.kind == "launcher"
    if not all(_never_raises(op) if is_launcher else isinstance(op, _FREE) for op in ops):
        return False
    return sum(isinstance(op, tir.Apply) for op in ops) <= MAX_FREE_OPS


def _never_raises(op: tir.Op) -> bool:
    """Whether a launcher may run `op` unasked: its arithmetic is checked."""
    match op:
        case tir.Apply():
            return op.op in _NEVER_RAISE
        case tir.Cast():
            source, to = op.operand.type.dtype, op.result.type.dtype
            return to.holds(source) or source is dtypes.BOOL or to.is_float
        case _:
            return isinstance(op, tir.Const)


def _merge(
    context: Context,
    test: Operand,
    values: Sequence[Value],
    then_ops: list[tir.Op],
    orelse_ops: list[tir.Op],
    shape: Shape,
) -> Value:
    if are_free(context, [*then_ops, *orelse_ops]) and shape is None:
        context.builder.extend([*then_ops, *orelse_ops])
        return context.builder.apply("where", context.value(test), *values)
    return conditional(context, test, values, then_ops, orelse_ops, values[0].type)


def conditional(
    context: Context,
    test: Operand,
    values: Sequence[Value],
    then_ops: Sequence[tir.Op],
    orelse_ops: Sequence[tir.Op],
    kind: Type,
) -> Value:
    """An `If` whose one result is the value of the block that ran."""
    result = context.builder.fresh(kind)
    blocks = [
        tir.Block(tuple(ops), tir.Yield((value,))) for ops, value in zip((then_ops, orelse_ops), values, strict=True)
    ]
    context.builder.add(tir.If(context.value(test), blocks[0], blocks[1], (result,), context.builder.span))
    return result


def _pointers(
    context: Context,
    test: Operand,
    then: tuple[Operand, list[tir.Op]],
    orelse: tuple[Operand, list[tir.Op]],
    span: Span,
) -> Operand | None:
    """Two pointers into one array; which array a pointer is of never depends on a condition."""
    left, right = then[0], orelse[0]
    if not isinstance(left.type, Pointer) or not isinstance(right.type, Pointer):
        context.report(faults.mixed_sides(span, left, right))
        return None
    if left.root != right.root or left.root is None:
        context.report(faults.pointer_choice(span, left, right))
        return None
    kind = Pointer(left.dtype, left.type.const or right.type.const, left.type.space)
    context.builder.span = span
    values = [operand.value for operand in (left, right) if operand.value is not None]
    result = conditional(context, test, values, then[1], orelse[1], kind)
    return Operand(type=kind, span=span, value=result, root=left.root)
