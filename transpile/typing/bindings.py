"""What assignments do: join the variable's type, convert, name the value, and bind the name."""

from __future__ import annotations

from transpile.diagnostics import variables as faults
from transpile.ir.tir import Value
from transpile.source import Span
from transpile.typing.constants import round_to
from transpile.typing.context import Context
from transpile.typing.operand import Operand
from transpile.typing.types import Pointer
from transpile.typing.variables import Clash, Variable


def bind(context: Context, name: str, operand: Operand | None, place: Span) -> None:
    """Assigns `operand` to `name`; poison makes the name poison."""
    if operand is None:
        context.bound[name] = None
        return
    variable = context.variables.assign(name, operand, place, context.strict)
    if isinstance(variable, Clash):
        context.report(faults.variable_clash(name, operand, place, variable))
        context.bound[name] = None
        return
    context.builder.span = place
    context.bound[name] = _converted(context, name, operand, variable, place)


def _converted(context: Context, name: str, operand: Operand, variable: Variable, place: Span) -> Operand | None:
    dtype = variable.type.dtype
    if isinstance(variable.type, Pointer):
        value = _named(context, operand.value, name) if operand.value is not None else None
        return Operand(type=variable.type, span=place, value=value, root=operand.root, origin=place)
    if operand.constant is None:
        value = _named(context, context.value(operand, dtype), name)
        bounds = operand.bounds if variable.weak else None
        return Operand(type=value.type, span=place, value=value, weak=variable.weak, bounds=bounds, origin=place)
    if not context.fits(operand, dtype):
        return None
    number = round_to(operand.constant, dtype)
    value = operand.value
    if value is None or value.type.dtype is not dtype:
        value = context.builder.const(number, dtype, name)
    return Operand(type=value.type, span=place, value=value, constant=number, weak=variable.weak, origin=place)


def _named(context: Context, value: Value, name: str) -> Value:
    """A value that has no name yet takes the variable's."""
    return value if value.name else context.builder.name_result(value, name)
