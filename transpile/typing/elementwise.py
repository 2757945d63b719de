"""Elementwise operations on operands: joins their dtypes and shapes, folds constants, and builds one Apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from transpile import dtypes
from transpile.diagnostics import typing as faults
from transpile.dtypes import DType
from transpile.ops.operation import Operation
from transpile.ops.table import OPERATIONS
from transpile.source import Span
from transpile.typing.constants import DIVISIONS, fold, is_too_wide, undefined
from transpile.typing.context import Context
from transpile.typing.join import Joined, NoJoin, Term, Unfit, join
from transpile.typing.operand import Bounds, Operand, constant, is_weak_result

Shape: TypeAlias = "tuple[int, ...]"


def apply(
    context: Context, op: str, operands: Sequence[Operand | None], span: Span, name: str | None = None
) -> Operand | None:
    """Row `op` on operands of any scalar and tile types; None if one is poison or the types do not allow it.

    `name` is how the user wrote the operation, where that is not its symbol.
    """
    row = OPERATIONS[op]
    symbol = name or row.symbol
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands) or not _are_numbers(context, symbol, known):
        return None
    if not _is_defined(context, row, known[-1]):
        return None
    if all(operand.constant is not None for operand in known):
        if not _is_foldable(context, op, known, span):
            return None
        folded = _folded(op, known, span)
        if folded is not None:
            return folded
    joined = join_operands(context, symbol, known, span)
    shape = join_shapes(context, symbol, known)
    if joined is None or isinstance(shape, NoShape):
        return None
    dtype = _computed_in(row, joined)
    if dtype is None:
        context.report(faults.operand_type(span, symbol, row.accepts, known))
        return None
    context.builder.span = span
    values = [context.shaped(context.value(operand, dtype), shape) for operand in known]
    if dtype.kind in row.keeps:
        return replace(known[0], type=values[0].type, value=values[0], span=span, constant=None)
    result = context.builder.apply(op, *values)
    weak = row.result == "same" and is_weak_result(tuple(known))
    bounds = _bounds(row, known) if weak and dtype.is_integer else None
    return Operand(type=result.type, span=span, value=result, weak=weak, bounds=bounds)


def _are_numbers(context: Context, symbol: str, operands: Sequence[Operand]) -> bool:
    for operand in operands:
        if operand.is_pointer:
            context.report(faults.pointer_operand(operand, symbol))
            return False
    return True


def _is_defined(context: Context, row: Operation, last: Operand) -> bool:
    """Refuses what Python refuses."""
    match undefined(row.name, last.constant):
        case "zero division":
            context.report(faults.constant_zero_division(last.span, row.symbol))
            return False
        case "negative shift":
            context.report(faults.constant_negative_shift(last.span, int(last.constant or 0)))
            return False
        case None:
            return True


def _is_foldable(context: Context, op: str, operands: Sequence[Operand], span: Span) -> bool:
    """Reports constants that are too large to compute with."""
    values = [operand.constant for operand in operands if operand.constant is not None]
    if is_too_wide(op, values):
        context.report(faults.constant_too_wide(span))
        return False
    is_of_floats = OPERATIONS[op].accepts == "float" or any(isinstance(value, float) for value in values)
    return not is_of_floats or all(context.fits(operand, dtypes.I64) for operand in operands)


def _folded(op: str, operands: Sequence[Operand], span: Span) -> Operand | None:
    """The folded constant, None where the row's definition decides at run time."""
    values = [operand.constant for operand in operands if operand.constant is not None]
    if op in DIVISIONS and values[-1] == 0:
        return None  # in a launcher it raises
    if any(operand.dtype not in dtypes.PYTHON.values() for operand in operands):
        return None  # rounds or wraps: the reference does that
    result = fold(op, values)
    if result is None:
        return None
    folded = constant(result, span)
    is_firm = any(not operand.weak and not operand.is_bool for operand in operands)
    return Operand(type=folded.type, span=span, constant=result, weak=folded.weak and not is_firm)


def _computed_in(row: Operation, joined: DType) -> DType | None:
    """The dtype in which a row computes operands that join to `joined`; None where it does not take them."""
    is_bool = joined is dtypes.BOOL
    match row.accepts:
        case "any":
            return joined
        case "number":
            return dtypes.I64 if is_bool else joined
        case "float":
            return joined if joined.is_float else dtypes.F64
        case "integer":
            return dtypes.I64 if is_bool else joined if joined.is_integer else None
        case "integer_or_bool":
            return None if joined.is_float else joined
        case "bool":
            return joined if is_bool else None


def join_chosen(context: Context, symbol: str, operands: Sequence[Operand], span: Span) -> DType | None:
    """The dtype of what is one of the operands: theirs, if they have one, since nothing is computed."""
    first = operands[0].dtype
    if all(operand.dtype is first for operand in operands):
        return first
    return join_operands(context, symbol, operands, span)


def join_operands(context: Context, symbol: str, operands: Sequence[Operand], span: Span) -> DType | None:
    """The dtype in which operands meet; reports operands that cannot."""
    terms = [term_of(operand) for operand in operands]
    joined = join(terms, context.strict)
    match joined:
        case Joined():
            context.assumed |= joined.assumed
            return joined.dtype
        case Unfit():
            operand = operands[joined.index]
            context.report(faults.constant_does_not_fit(operand.span, int(operand.constant or 0), joined.dtype))
        case NoJoin():
            context.report(faults.no_common_type(span, symbol, operands, joined.left, joined.right))
    return None


def term_of(operand: Operand) -> Term:
    is_number = operand.weak and isinstance(operand.constant, int)
    return Term(
        operand.dtype,
        operand.weak,
        int(operand.constant) if is_number and operand.constant is not None else None,
        operand.bounds,
    )


class NoShape:
    """Operands whose shapes do not meet; already reported."""


def join_shapes(context: Context, symbol: str, operands: Sequence[Operand]) -> Shape | NoShape | None:
    """The one shape of the tiles among `operands`; None if all are scalars. Two shapes are reported."""
    first: Operand | None = None
    for operand in operands:
        if operand.shape is None:
            continue
        if first is None:
            first = operand
        elif first.shape != operand.shape:
            context.report(faults.tile_shape_mismatch(symbol, first, operand))
            return NoShape()
    return first.shape if first is not None else None


def _bounds(row: Operation, operands: Sequence[Operand]) -> Bounds | None:
    """Where the result of an integer operation on weak operands lies, for the operations worth following."""
    op = row.name
    known = [operand.known_bounds for operand in operands[1 if op == "where" else 0 :]]
    if any(bounds is None for bounds in known):
        return None
    pairs = [bounds for bounds in known if bounds is not None]
    if row.is_choice:
        return (min(low for low, _ in pairs), max(high for _, high in pairs))
    if op == "neg":
        return (-pairs[0][1], -pairs[0][0])
    if op not in ("add", "sub", "mul"):
        return None
    (a, b), (c, d) = pairs
    corners: tuple[int, ...] = (a * c, a * d, b * c, b * d)
    if op != "mul":
        corners = (a + c, b + d) if op == "add" else (a - d, b - c)
    low, high = min(corners), max(corners)
    return (low, high) if dtypes.I64.min <= low and high <= dtypes.I64.max else None


def cast(context: Context, operand: Operand, dtype: DType, span: Span) -> Operand:
    """A strong operand of `dtype`: an explicit conversion, of a scalar or a tile, which wraps and truncates."""
    context.builder.span = span
    if dtype.is_integer and operand.constant is not None:
        value = context.builder.cast(context.value(operand), dtype)
    else:
        value = context.value(operand, dtype)
    return Operand(type=value.type, span=span, value=value)


def select(context: Context, condition: Operand, then: Operand, orelse: Operand, span: Span) -> Operand | None:
    """`where` with a bool condition: the sides join, all three broadcast."""
    symbol = "where"
    dtype = join_chosen(context, symbol, [then, orelse], span)
    shape = join_shapes(context, symbol, [condition, then, orelse])
    if dtype is None or isinstance(shape, NoShape):
        return None
    context.builder.span = span
    sides = [context.shaped(context.value(side, dtype), shape) for side in (then, orelse)]
    test = context.shaped(context.value(condition), shape)
    result = context.builder.apply("where", test, *sides)
    weak = is_weak_result((then, orelse))
    bounds = _bounds(OPERATIONS["where"], [condition, then, orelse]) if weak and dtype.is_integer else None
    return Operand(type=result.type, span=span, value=result, weak=weak, bounds=bounds)
