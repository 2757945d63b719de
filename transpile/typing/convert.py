"""Which operands convert by themselves where a type is declared: arguments, returned values, annotated variables."""

from __future__ import annotations

from transpile import dtypes
from transpile.diagnostics import calls as faults
from transpile.dtypes import DType
from transpile.ir import hir
from transpile.typing.context import Context
from transpile.typing.join import converts
from transpile.typing.operand import Operand


def is_argument(context: Context, operand: Operand, parameter: hir.Parameter, callee: hir.Function) -> bool:
    """Whether `operand` converts to a scalar parameter by itself; reports one that does not."""
    if not isinstance(parameter.annotation, hir.ScalarAnnotation) or operand.is_pointer:
        context.report(faults.argument_kind(operand, parameter, callee))
        return False
    target = parameter.annotation.dtype
    if converts_to(operand, target):
        return context.fits(operand, target) if operand.constant is not None else True
    context.report(faults.argument_type(operand, parameter, callee, target))
    return False


def converts_to(operand: Operand, target: DType) -> bool:
    """bool → int → float and f32 → f64 by itself; a weak value takes the target's type; nothing narrower."""
    if operand.weak and operand.dtype.is_float:
        return target.is_float
    if operand.weak and operand.constant is not None:
        return target is not dtypes.BOOL
    if operand.weak and target.is_integer and operand.bounds is not None:
        return target.min <= operand.bounds[0] and operand.bounds[1] <= target.max
    return converts(operand.dtype, target)
