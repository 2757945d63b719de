"""Functions of a tile in terms of others: what a user could write by hand, under one name. They add nothing to the
language below, so every target has them, in the order and with the rounding of what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.diagnostics import reductions as faults
from transpile.ir import hir
from transpile.ops.table import COMPOSITES
from transpile.source import Span
from transpile.typing.context import Context
from transpile.typing.elementwise import apply, cast, select
from transpile.typing.forms import TILE, Arguments, Form, Rule
from transpile.typing.operand import Operand, constant, strong


def _tile(context: Context, argument: hir.Expression | None, name: str) -> Operand | None:
    """The tile that an argument gives; anything else is reported."""
    operand = context.evaluate(argument) if argument is not None else None
    if operand is not None and not operand.is_tile:
        context.report(faults.reduction_of_scalar(operand, name))
        return None
    return operand


def _folded(context: Context, op: str, tile: Operand, span: Span) -> Operand:
    """The fold of `tile` by a reduction row."""
    context.builder.span = span
    value = context.builder.reduce(op, context.value(tile))
    return Operand(type=value.type, span=span, value=value, weak=tile.weak and tile.dtype is value.type.dtype)


def _over_lanes(context: Context, tile: Operand, less: int, span: Span) -> Operand | None:
    """The sum of a tile of floats over the number of its lanes, or `less`."""
    assert tile.shape is not None
    return apply(context, "truediv", [_folded(context, "sum", tile, span), constant(tile.shape[0] - less, span)], span)


def _as_floats(context: Context, tile: Operand, span: Span) -> Operand:
    return tile if tile.dtype.is_float else cast(context, tile, dtypes.F64, span)


def _mean(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    tile = _tile(context, arguments[0], "tile.mean")
    return None if tile is None else _over_lanes(context, _as_floats(context, tile, node.span), 0, node.span)


def _var(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    tile = _tile(context, arguments[0], "tile.var")
    less = context.evaluate(arguments[1]) if arguments[1] is not None else constant(0, node.span)
    if tile is None or less is None:
        return None
    assert tile.shape is not None
    if isinstance(less.constant, bool) or not isinstance(less.constant, int):
        context.report(faults.correction_not_constant(less))
        return None
    if not 0 <= less.constant < tile.shape[0]:
        context.report(faults.correction(less.span, less.constant, tile.shape[0]))
        return None
    tile = _as_floats(context, tile, node.span)
    mean = _over_lanes(context, tile, 0, node.span)
    apart = apply(context, "sub", [tile, mean], node.span)
    squares = apply(context, "mul", [apart, apart], node.span)
    return None if squares is None else _over_lanes(context, squares, less.constant, node.span)


def _first(op: str, name: str) -> Rule:
    """The first lane that holds what the fold by `op` gives."""

    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        tile = _tile(context, arguments[0], name)
        if tile is None:
            return None
        span = node.span
        if tile.shape == (1,):
            context.builder.span = span
            return strong(context.builder.const(0, dtypes.I64), span)
        tile = cast(context, tile, _compared_in(tile.dtype), span)
        wanted = _folded(context, op, tile, span)
        found = apply(context, "eq", [tile, wanted], span)
        if tile.dtype.is_float:
            signs = [apply(context, "copysign", [constant(1.0, span), each], span) for each in (tile, wanted)]
            found = apply(context, "and", [found, apply(context, "eq", signs, span)], span)
            found = apply(context, "or", [apply(context, "isnan", [tile], span), found], span)
        assert tile.shape is not None
        lanes = tile.shape[0]
        context.builder.span = span
        lane = strong(context.builder.cast(context.builder.arange(lanes), dtypes.I32), span)
        if found is None:
            return None
        places = select(context, found, lane, constant(lanes, span), span)
        return None if places is None else cast(context, _folded(context, "min", places, span), dtypes.I64, span)

    return rule


def _compared_in(dtype: dtypes.DType) -> dtypes.DType:
    if dtype is dtypes.BOOL:
        return dtypes.I32
    return dtype.computing


_RULES: Final[Mapping[str, Rule]] = {
    "mean": _mean,
    "var": _var,
    "argmax": _first("max", "tile.argmax"),
    "argmin": _first("min", "tile.argmin"),
}
COMPOSITE_FORMS: Final[Mapping[str, Form]] = {
    spelling: Form(row.parameters, 1, TILE, _RULES[row.name])
    for row in COMPOSITES.values()
    for spelling in row.spellings
}
