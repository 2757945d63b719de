"""`base ** exponent`, and the builtin `pow`: by squaring where the exponent is a small constant, else of floats."""

from __future__ import annotations

from typing import Final

from transpile import dtypes
from transpile.diagnostics import typing as faults
from transpile.ir import hir
from transpile.source import Span
from transpile.typing.context import Context
from transpile.typing.elementwise import apply
from transpile.typing.forms import ANYWHERE, Arguments, Form
from transpile.typing.functions import as_float
from transpile.typing.operand import Operand, constant

MAX_EXPONENT: Final = 64


def power(
    context: Context, base: Operand | None, exponent: Operand | None, span: Span, name: str = "**"
) -> Operand | None:
    """Python's power, whose type is an integer's only where the exponent is known; `name` is how it was written."""
    if base is None or exponent is None:
        return None
    for operand in (base, exponent):
        if operand.is_pointer:
            context.report(faults.pointer_operand(operand, name))
            return None
    known = exponent.constant if isinstance(exponent.constant, int) else None
    if known is not None and 0 <= known <= MAX_EXPONENT:
        return _squared(context, base, int(known), span)
    if context.function.kind == "launcher":
        context.report(faults.power_in_launcher(exponent.span, name, exponent))
        return None
    if known is not None and known < 0:
        exponent = as_float(context, exponent, exponent.span)
    if not (base.dtype.is_float or exponent.dtype.is_float):
        context.report(faults.power_of_integers(exponent.span, name, base, exponent))
        return None
    return apply(context, "pow", [base, exponent], span, name)


def _squared(context: Context, base: Operand, exponent: int, span: Span) -> Operand | None:
    """Squared and multiplied from the top bit. A constant integer is exact as everywhere."""
    if exponent == 0:
        return _one_like(context, base, span)
    result = apply(context, "pos", [base], span)
    for bit in bin(exponent)[3:]:
        result = apply(context, "mul", [result, result], span)
        if bit == "1":
            result = apply(context, "mul", [result, base], span)
    return result


def _one_like(context: Context, base: Operand, span: Span) -> Operand | None:
    """`x ** 0`: 1 of the base's type and shape."""
    one = constant(1.0 if base.dtype.is_float else 1, span)
    if base.weak and base.is_scalar:
        return one
    context.builder.span = span
    value = context.shaped(context.value(one, dtypes.I64 if base.is_bool else base.dtype.computing), base.shape)
    return Operand(type=value.type, span=span, value=value, weak=base.weak)


def _builtin(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    base, exponent = (context.evaluate(argument) for argument in arguments if argument is not None)
    return power(context, base, exponent, node.span, "pow")


FORMS: Final = {"builtin.pow": Form(("base", "exp"), 2, ANYWHERE, _builtin)}
