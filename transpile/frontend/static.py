"""The value of a constant expression, as the language computes it: integers exactly, floats as a kernel does."""

from __future__ import annotations

import itertools
import math

from transpile.diagnostics import names, typing
from transpile.diagnostics.core import Diagnostic
from transpile.dtypes import Number
from transpile.frontend.bindings import StaticValue
from transpile.ir import hir
from transpile.ops.table import OPERATIONS
from transpile.source import Span
from transpile.typing import constants

POWERS = range(65)


class ConstantFaultError(Exception):
    """The constant has a value in no kernel."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class NotConstantError(Exception):
    """The expression reads something that is known only at run time, or calls what is not evaluated here."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


def evaluate(node: hir.Expression) -> StaticValue:
    """The value of `node`. Raises ConstantFaultError, NotConstantError."""
    match node:
        case hir.TupleExpression(items=items):
            return tuple(evaluate(item) for item in items)
    try:
        return number(node)
    except OverflowError:
        fault = names.constant_arithmetic(node.span, "the integer is too large for a float")
        raise ConstantFaultError(fault) from None


def number(node: hir.Expression) -> Number:
    """The value of a scalar expression. Raises ConstantFaultError, NotConstantError."""
    match node:
        case hir.LiteralNumber(value=value) | hir.Constant(value=value):
            return value
        case hir.Unary(op="not", operand=operand):
            return not number(operand)
        case hir.Unary(op=op, operand=operand):
            return _apply(op, (number(operand),), node.span, operand.span)
        case hir.Binary(op="pow", left=left, right=right):
            return power(number(left), number(right), node.span, right.span)
        case hir.Binary(op=op, left=left, right=right):
            return _apply(op, (number(left), number(right)), node.span, right.span)
        case hir.Logic(op=op, left=left, right=right):
            first = number(left)
            return number(right) if bool(first) == (op == "and") else first
        case hir.Compare(ops=ops, operands=operands):
            values = [number(operand) for operand in operands]
            pairs = zip(ops, itertools.pairwise(values), strict=True)
            return all(_apply(op, pair, node.span, node.span) for op, pair in pairs)
        case hir.Conditional(test=test, then=then, orelse=orelse):
            return number(then if number(test) else orelse)
        case hir.Call(callee=hir.Intrinsic(name=name), arguments=arguments):
            if all(argument.keyword is None for argument in arguments):
                return _call(name, [number(argument.value) for argument in arguments], node.span)
    raise NotConstantError(node.span)


def _apply(op: str, values: tuple[Number, ...], span: Span, last: Span) -> Number:
    """The result of a row; `last` is where its last operand stands."""
    if OPERATIONS[op].accepts in ("integer", "integer_or_bool") and any(isinstance(value, float) for value in values):
        raise ConstantFaultError(names.constant_arithmetic(span, "a float has no bits to shift, combine or invert"))
    match constants.undefined(op, values[-1]):
        case "negative shift":
            raise ConstantFaultError(typing.constant_negative_shift(last, int(values[-1])))
        case "zero division":
            raise ConstantFaultError(typing.constant_zero_division(last, OPERATIONS[op].symbol))
    if constants.is_too_wide(op, values):
        raise ConstantFaultError(typing.constant_too_wide(span))
    folded = constants.fold(op, values)
    if folded is None:
        raise NotConstantError(span)
    return folded


def power(base: Number, exponent: Number, span: Span, last: Span) -> Number:
    """`base ** exponent` by squaring from the top bit; the exponent stands at `last`."""
    if isinstance(exponent, float) or int(exponent) not in POWERS:
        raise ConstantFaultError(names.constant_exponent(last, exponent))
    result: Number = 1.0 if isinstance(base, float) else 1
    for bit in format(int(exponent), "b"):
        result = _apply("mul", (result, result), span, last)
        if bit == "1":
            result = _apply("mul", (result, base), span, last)
    return result


def _call(name: str, values: list[Number], span: Span) -> Number:
    match name, values:
        case (("builtin.min" | "builtin.max"), [_, _, *_]):
            result = values[0]
            for value in values[1:]:
                result = _extreme(name, result, value)
            return result
        case (("builtin.abs" | "math.fabs"), [value]):
            return abs(value) if name == "builtin.abs" else math.fabs(value)
        case "builtin.float", [value]:
            return float(value)
        case "builtin.bool", [value]:
            return bool(value)
        case (("builtin.int" | "math.floor" | "math.ceil" | "builtin.round"), [value]):
            return _whole(name, value)
        case "math.sqrt", [value]:
            return math.sqrt(value) if value >= 0 else math.nan
        case "math.copysign", [magnitude, sign]:
            return math.copysign(magnitude, sign)
    raise NotConstantError(span)


def _extreme(name: str, left: Number, right: Number) -> Number:
    """As a kernel's `min` and `max`: NaN wins, +0 is above -0, an int beside a float becomes one."""
    is_max = name == "builtin.max"
    if not (isinstance(left, float) or isinstance(right, float)):
        return max(left, right) if is_max else min(left, right)
    left, right = float(left), float(right)
    if math.isnan(left) or math.isnan(right):
        return math.nan
    if left == right:
        return left if (math.copysign(1.0, left) > 0) == is_max else right
    return max(left, right) if is_max else min(left, right)


def _whole(name: str, value: Number) -> int:
    """A float as i64: rounded by the function's rule, saturated, NaN as 0."""
    if isinstance(value, int):
        return int(value)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return 2**63 - 1 if value > 0 else -(2**63)
    match name:
        case "math.floor":
            whole = math.floor(value)
        case "math.ceil":
            whole = math.ceil(value)
        case "builtin.round":
            whole = round(value)
        case _:
            whole = math.trunc(value)
    return max(-(2**63), min(2**63 - 1, whole))
