"""`T = native.TypeVar("T", native.f16, native.f32)` at the top level of a file, as the type variable that it is."""

from __future__ import annotations

import ast
from typing import TypeGuard

import libcst as cst

from transpile.diagnostics import generics
from transpile.diagnostics.core import Sink
from transpile.dtypes import DType
from transpile.frontend.annotations import dtype_of
from transpile.frontend.bindings import LanguageName, Refused, TypeName
from transpile.frontend.body import Body, path_of
from transpile.frontend.vocabulary import TYPE_VARIABLE
from transpile.ir import hir


def is_type_variable(value: cst.BaseExpression, body: Body) -> TypeGuard[cst.Call]:
    """Whether `value` makes a type variable."""
    path = path_of(body, value.func) if isinstance(value, cst.Call) else None
    return path is not None and path.binding == LanguageName(TYPE_VARIABLE)


def type_variable(body: Body, call: cst.Call, name: str, sink: Sink) -> TypeName | Refused:
    """The variable that is assigned to `name`. Its faults go to `sink`."""
    first, *rest = call.args or (None,)
    span = body.span(call)
    if first is None or _text(first) != name or any(each.keyword or each.star for each in call.args):
        sink.report(generics.variable_form(span, name))
        return Refused()
    found = [(each, dtype_of(body, each.value)) for each in rest]
    for diagnostic in body.sink:
        sink.report(diagnostic)
    choices: list[DType] = []
    for each, dtype in found:
        if dtype in choices or isinstance(dtype, hir.TypeVariable):
            sink.report(generics.variable_choice(body.span(each), name, dtype))
            return Refused()
        if dtype is not None:
            choices.append(dtype)
    if not rest:
        sink.report(generics.variable_form(span, name))
    return TypeName(variable_of(name, tuple(choices))) if rest and len(choices) == len(rest) else Refused()


def variable_of(name: str, choices: tuple[DType, ...]) -> hir.TypeVariable:
    """The variable of this name."""
    first = choices[0]
    return hir.TypeVariable(name=name, kind=first.kind, bits=first.bits, cxx=name, numpy=first.numpy, choices=choices)


def _text(argument: cst.Arg) -> str | None:
    if not isinstance(argument.value, cst.SimpleString):
        return None
    found = ast.literal_eval(argument.value.value)
    return found if isinstance(found, str) else None
