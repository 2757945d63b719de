"""The functions of values: every elementwise row under its names, builtins, casts, reductions and `arange`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.diagnostics import calls as faults
from transpile.diagnostics import reductions as reduction_faults
from transpile.diagnostics import typing as type_faults
from transpile.dtypes import DType
from transpile.ir import hir
from transpile.ir.tir import Value
from transpile.ops.operation import Operation, Reduction
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS
from transpile.source import Span
from transpile.typing.composites import COMPOSITE_FORMS
from transpile.typing.context import Context
from transpile.typing.elementwise import apply, cast, select
from transpile.typing.forms import ANYWHERE, ON_DEVICE, TILE, Arguments, Form, Kinds, Rule
from transpile.typing.operand import Operand, constant, is_weak_result
from transpile.typing.types import Tile

MAX_LANES: Final = 65_536


def no_rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    """Of a form that only binds."""
    return None


def _kinds(row: Operation, name: str) -> Kinds:
    """Where a name may stand. A launcher is run by Python, too, whose own functions have other bits."""
    if name.startswith("tile."):
        return TILE
    return ON_DEVICE if row.in_runtime else ANYWHERE


# ---------------------------------------------------------------- elementwise


def _elementwise(row: Operation, name: str) -> Rule:
    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        operands = [context.evaluate(argument) for argument in arguments if argument is not None]
        return apply(context, row.name, operands, node.span, name.removeprefix("builtin."))

    return rule


def _where(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    condition, then, orelse = (context.evaluate(argument) for argument in arguments if argument is not None)
    if condition is None or then is None or orelse is None:
        return None
    if not condition.is_bool or condition.is_pointer:
        context.report(type_faults.condition_not_bool(condition, "where"))
        return None
    for side in (then, orelse):
        if side.is_pointer:
            context.report(type_faults.pointer_operand(side, "where"))
            return None
    return select(context, condition, then, orelse, node.span)


def _fold_left(op: str, name: str) -> Rule:
    """`max(a, b, c)`: of two or more."""

    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        operands = [context.evaluate(argument) for argument in arguments if argument is not None]
        if len(operands) == 1:
            if operands[0] is not None:
                context.report(faults.one_argument(name, operands[0]))
            return None
        result = operands[0]
        for operand in operands[1:]:
            result = apply(context, op, [result, operand], node.span, name)
        return result

    return rule


def divmod_results(context: Context, node: hir.Call, arguments: Arguments) -> tuple[Operand | None, Operand | None]:
    left, right = (context.evaluate(argument) for argument in arguments if argument is not None)
    quotient = apply(context, "floordiv", [left, right], node.span)
    return quotient, None if quotient is None else apply(context, "mod", [left, right], node.span)


def _divmod_as_value(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    context.report(type_faults.divmod_as_value(node.span))
    return None


# ---------------------------------------------------------------- conversions


def _cast(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operand = context.evaluate(arguments[0]) if arguments[0] is not None else None
    name = arguments[1]
    if not isinstance(name, hir.DTypeName):
        if not isinstance(name, hir.Poison) and name is not None:
            context.report(faults.cast_type(name.span))
        return None
    if operand is None:
        return None
    if operand.is_pointer:
        context.report(type_faults.pointer_operand(operand, "cast"))
        return None
    return cast(context, operand, name.dtype, node.span)


def _converted(context: Context, argument: hir.Expression | None, name: str) -> Operand | None:
    operand = context.evaluate(argument) if argument is not None else None
    if operand is not None and operand.is_pointer:
        context.report(type_faults.pointer_operand(operand, name))
        return None
    return operand


def _int(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operand = _converted(context, arguments[0], "int")
    return None if operand is None else to_i64(context, operand, node.span)


def to_i64(context: Context, operand: Operand, span: Span) -> Operand:
    """A whole number of any type as i64; a constant stays one."""
    if isinstance(operand.constant, int):
        return constant(int(operand.constant), span)
    return cast(context, operand, dtypes.I64, span)


def _float(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operand = _converted(context, arguments[0], "float")
    if operand is None:
        return None
    if operand.weak or operand.constant is not None:
        return as_float(context, operand, node.span)
    return cast(context, operand, dtypes.F64, node.span)


def as_float(context: Context, operand: Operand, span: Span) -> Operand:
    """A float as it is; anything else as f64, weak if it was."""
    if operand.dtype.is_float:
        return operand.at(span)
    if operand.constant is not None:
        number = operand.constant if context.fits(operand, dtypes.I64) else 0
        return constant(float(number), span)
    result = cast(context, operand, dtypes.F64, span)
    return Operand(type=result.type, span=span, value=result.value, weak=is_weak_result((operand,)))


def _fabs(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    """The absolute value as a float, whatever it is of."""
    operand = _converted(context, arguments[0], "math.fabs")
    return None if operand is None else apply(context, "abs", [as_float(context, operand, node.span)], node.span)


def _bool(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operand = _converted(context, arguments[0], "bool")
    if operand is None:
        return None
    if operand.constant is not None:
        return constant(operand.constant != 0, node.span)
    return cast(context, operand, dtypes.BOOL, node.span)


def _whole(op: str, name: str) -> Rule:
    """`round`, `math.floor`, `math.ceil`: to the whole number, as i64."""

    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        if len(arguments) > 1 and arguments[1] is not None:
            context.report(faults.round_digits(arguments[1].span))
            return None
        operand = _converted(context, arguments[0], name)
        if operand is None:
            return None
        if operand.dtype.is_float:
            operand = apply(context, op, [operand], node.span)
        return None if operand is None else to_i64(context, operand, node.span)

    return rule


# ---------------------------------------------------------------- tiles


def _arange(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operand = context.evaluate(arguments[0]) if arguments[0] is not None else None
    if operand is None:
        return None
    size = operand.constant
    if isinstance(size, bool) or not isinstance(size, int):
        context.report(faults.size_not_constant(operand))
        return None
    if not 1 <= size <= MAX_LANES or size & (size - 1):
        context.report(faults.tile_size(operand.span, size, MAX_LANES))
        return None
    context.builder.span = node.span
    value = context.builder.arange(size)
    return Operand(type=value.type, span=node.span, value=value)


def _reduction(row: Reduction) -> Rule:
    name = row.spellings[0]

    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        operand = context.evaluate(arguments[0]) if arguments[0] is not None else None
        if operand is None:
            return None
        if not operand.is_tile:
            context.report(reduction_faults.reduction_of_scalar(operand, name))
            return None
        if row.accumulate == "bool" and not operand.is_bool:
            context.report(reduction_faults.reduction_of_numbers(operand, name))
            return None
        context.builder.span = node.span
        op = row.name
        if operand.is_bool and row.accumulate == "same":
            op = "any" if row.combine in ("maximum", "fmax") else "all"
        value = context.builder.reduce(op, context.value(operand))
        if row.accumulate == "same":
            value = _chosen(context, value, operand.dtype)
        weak = operand.weak and operand.dtype is value.type.dtype
        return Operand(type=value.type, span=node.span, value=value, weak=weak)

    return rule


def _chosen(context: Context, value: Value, dtype: DType) -> Value:
    """One of several values of `dtype`, found in the type that it computes in, as it was: a conversion would make the
    largest number of an infinity where it saturates."""
    builder = context.builder
    kept = builder.cast(value, dtype)
    if dtype.saturates and not dtype.is_finite:
        shape = value.type.shape if isinstance(value.type, Tile) else None
        for end in (math.inf, -math.inf):
            reached = builder.apply("eq", value, context.shaped(builder.const(end, value.type.dtype), shape))
            kept = builder.apply("where", reached, context.shaped(builder.const(end, dtype), shape), kept)
    return kept


def _scan(row: Reduction) -> Rule:
    name = row.spellings[0]

    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        operand = context.evaluate(arguments[0]) if arguments[0] is not None else None
        if operand is None:
            return None
        if not operand.is_tile:
            context.report(reduction_faults.reduction_of_scalar(operand, name, "scans"))
            return None
        context.builder.span = node.span
        dtype, keeps = operand.dtype, row.accumulate == "same"
        value = context.builder.scan(
            row.name, context.value(operand, dtypes.I32 if operand.is_bool and keeps else dtype)
        )
        if keeps:
            value = _chosen(context, value, dtype)
        return Operand(type=value.type, span=node.span, value=value, weak=operand.weak and dtype is value.type.dtype)

    return rule


# ---------------------------------------------------------------- the table


def _rows() -> dict[str, Form]:
    """Every row under each name that a user may write."""
    forms: dict[str, Form] = {}
    for row in OPERATIONS.values():
        for spelling in row.spellings:
            rule = _where if row.name == "where" else _elementwise(row, spelling)
            forms[spelling] = Form(row.parameters, row.arity, _kinds(row, spelling), rule)
    for reduction in REDUCTIONS.values():
        for spelling in reduction.spellings:
            forms[spelling] = Form(reduction.parameters, 1, TILE, _reduction(reduction))
    for scan in SCANS.values():
        for spelling in scan.spellings:
            forms[spelling] = Form(scan.parameters, 1, TILE, _scan(scan))
    return forms


FORMS: Final[Mapping[str, Form]] = {
    **_rows(),
    **COMPOSITE_FORMS,
    "math.fabs": Form(("x",), 1, ANYWHERE, _fabs),
    "math.floor": Form(("x",), 1, ANYWHERE, _whole("floor", "math.floor")),
    "math.ceil": Form(("x",), 1, ANYWHERE, _whole("ceil", "math.ceil")),
    "builtin.round": Form(("number", "ndigits"), 1, ANYWHERE, _whole("round", "round")),
    "builtin.int": Form(("x",), 1, ANYWHERE, _int),
    "builtin.float": Form(("x",), 1, ANYWHERE, _float),
    "builtin.bool": Form(("x",), 1, ANYWHERE, _bool),
    "builtin.max": Form(("a",), 1, ANYWHERE, _fold_left("maximum", "max"), variadic=True),
    "builtin.min": Form(("a",), 1, ANYWHERE, _fold_left("minimum", "min"), variadic=True),
    "builtin.divmod": Form(("a", "b"), 2, ANYWHERE, _divmod_as_value),
    "tile.cast": Form(("x", "dtype"), 2, TILE, _cast),
    "native.cast": Form(("x", "dtype"), 2, ANYWHERE, _cast),
    "tile.arange": Form(("size",), 1, TILE, _arange),
}
