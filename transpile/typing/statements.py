"""Statements of HIR as TIR: assignments, calls and returns here; `branches` and `loops` do the rest."""

from __future__ import annotations

from collections.abc import Sequence

from transpile.diagnostics import flow
from transpile.diagnostics import typing as type_faults
from transpile.diagnostics import variables as faults
from transpile.diagnostics.core import InternalError
from transpile.ir import hir, tir
from transpile.source import Span
from transpile.typing.bindings import bind
from transpile.typing.branches import check_if
from transpile.typing.calls import check_call_statement, check_divmod, check_load_several
from transpile.typing.context import Context
from transpile.typing.convert import converts_to
from transpile.typing.elements import is_of_several
from transpile.typing.expressions import binary, read_local
from transpile.typing.loops import check_for, check_while, leave_loop
from transpile.typing.operand import Operand
from transpile.typing.reports import check_assert, check_print
from transpile.typing.types import Pointer, Scalar, Type


def check_block(context: Context, statements: Sequence[hir.Statement]) -> None:
    """Each statement in turn; what stands behind a `return`, `break` or `continue` never runs and is left out."""
    for statement in statements:
        if context.env is None:
            return
        note(context, statement)
        _check(context, statement)


def note(context: Context, statement: hir.Statement) -> None:
    """The statement's own text, for readers of the output: the header alone of a compound one."""
    compound = isinstance(statement, hir.If | hir.For | hir.While)
    span = statement.header if isinstance(statement, hir.If | hir.For | hir.While) else statement.span
    text = one_line(span.text())
    context.builder.span = statement.span
    if text and not isinstance(statement, hir.Pass):
        context.builder.note(text if not compound or text.endswith(":") else f"{text}:")


def one_line(text: str) -> str:
    """Several source lines as one, without their comments."""
    if "\n" not in text:
        return text.strip()
    return " ".join(line.split("#")[0].strip() for line in text.split("\n")).strip()


def _check(context: Context, statement: hir.Statement) -> None:
    match statement:
        case hir.Assign():
            _assign(context, statement)
        case hir.AnnotatedAssign():
            _annotated(context, statement)
        case hir.AugmentedAssign():
            left = read_local(context, statement.name, statement.name_span)
            right = context.evaluate(statement.value)
            bind(
                context, statement.name, binary(context, statement.op, left, right, statement.span), statement.name_span
            )
        case hir.ExpressionStatement():
            _expression(context, statement.value)
        case hir.If():
            check_if(context, statement)
        case hir.For():
            check_for(context, statement)
        case hir.While():
            check_while(context, statement)
        case hir.Break():
            leave_loop(context, "break")
        case hir.Continue():
            leave_loop(context, "continue")
        case hir.Return():
            _return(context, statement)
        case hir.Print():
            check_print(context, statement)
        case hir.Assert():
            check_assert(context, statement)
        case hir.Pass():
            pass
        case _:
            raise InternalError("unknown statement", statement)


def _expression(context: Context, value: hir.Expression) -> None:
    if isinstance(value, hir.Call):
        check_call_statement(context, value)
    elif isinstance(value, hir.TupleExpression):
        for item in value.items:
            context.evaluate(item)
    else:
        context.evaluate(value)


# ---------------------------------------------------------------- assignment


def _assign(context: Context, statement: hir.Assign) -> None:
    """The right side is read before any target is written, targets from left to right."""
    if any(target.is_tuple for target in statement.targets):
        count = next(len(target.names) for target in statement.targets if target.is_tuple)
        items = _items(context, statement.value, count)
        for target in statement.targets:
            _assign_tuple(context, statement, target, items)
        return
    operand = context.evaluate(statement.value)
    for target in statement.targets:
        bind(context, target.names[0], operand, target.spans[0])


def _items(context: Context, value: hir.Expression, count: int) -> list[Operand | None] | None:
    """The values of a tuple, of `divmod` or of a load of several, `count` where they are not known; None for anything
    else."""
    match value:
        case hir.TupleExpression():
            return [context.evaluate(item) for item in value.items]
        case hir.Call(callee=hir.Intrinsic("builtin.divmod")):
            return list(check_divmod(context, value))
        case hir.Call() if is_of_several(value):
            found = check_load_several(context, value)
            return [None] * count if found is None else found
    return None


def _assign_tuple(
    context: Context, statement: hir.Assign, target: hir.Target, items: list[Operand | None] | None
) -> None:
    if not target.is_tuple:
        context.report(type_faults.tuple_as_value(statement.value.span))
        items = None
    elif items is None:
        if not isinstance(statement.value, hir.Poison):
            context.report(faults.not_a_tuple(statement.value.span, len(target.names)))
    elif len(items) != len(target.names):
        context.report(faults.tuple_count(statement.span, len(target.names), len(items)))
        items = None
    for place, name in enumerate(target.names):
        bind(context, name, items[place] if items is not None else None, target.spans[place])


def annotated_type(context: Context, annotation: hir.Annotation, span: Span) -> Type | None:
    """The type that an annotated local must have exactly."""
    match annotation:
        case hir.ScalarAnnotation():
            return Scalar(annotation.dtype)
        case hir.PointerAnnotation():
            return Pointer(annotation.dtype, annotation.const)
        case hir.StaticAnnotation():
            context.report(faults.static_local(span))
            return None


def _annotated(context: Context, statement: hir.AnnotatedAssign) -> None:
    operand = context.evaluate(statement.value) if statement.value is not None else None
    kind = annotated_type(context, statement.annotation, statement.span)
    if kind is None:
        context.bound[statement.name] = None
        return
    known = context.variables.types.get(statement.name)
    if known is not None and known.exact and known.type != kind:
        context.report(faults.annotated_twice(statement.name, statement.name_span, known, kind))
        context.bound[statement.name] = None
        return
    context.variables.fix(statement.name, kind, statement.name_span)
    if statement.value is not None:
        bind(context, statement.name, operand, statement.name_span)


# ---------------------------------------------------------------- return


def _return(context: Context, statement: hir.Return) -> None:
    operand = context.evaluate(statement.value) if statement.value is not None else None
    returns = context.function.returns
    context.builder.span = statement.span
    value = None
    if context.function.kind != "device":
        if statement.value is not None:
            context.report(flow.return_of_value(statement.value.span, context.function.kind))
    elif returns is None or statement.value is None:
        context.report(flow.return_without_value(statement.span, context.function))
    elif operand is not None:
        if not operand.is_scalar or not converts_to(operand, returns.dtype):
            context.report(flow.return_type(operand, context.function, returns.dtype))
        else:
            value = context.value(operand, returns.dtype)
    context.leave(tir.Return(value))
