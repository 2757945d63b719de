"""Faults of generic kernels: of type variables, and of arguments that choose their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transpile.diagnostics.core import Diagnostic, Label
from transpile.dtypes import DType, python_name
from transpile.ir.hir import TypeVariable
from transpile.source import Span


def _listed(choices: Sequence[DType]) -> str:
    *names, last = (python_name(each) for each in choices)
    return f"{', '.join(names)} or {last}" if names else last


def in_instance(fault: Diagnostic, variables: Sequence[TypeVariable], types: Sequence[DType]) -> Diagnostic:
    """The fault with a note of the instance that has it."""
    if not variables:
        return fault
    pairs = zip(variables, types, strict=True)
    chosen = " and ".join(f"{variable.name} = {python_name(dtype)}" for variable, dtype in pairs)
    return replace(fault, notes=(*fault.notes, f"in the instance where {chosen}"))


def variable_form(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="type-variable",
        message=f"'{name}' is no type variable as it is written",
        primary=Label(span),
        notes=("native.TypeVar takes the name that it is assigned to, then the element types that it stands for",),
        help=(f'write `{name} = native.TypeVar("{name}", native.f32, float)`',),
    )


def variable_choice(span: Span, name: str, dtype: DType | None) -> Diagnostic:
    what = f"{dtype} is given twice" if dtype is not None else "this is no element type"
    return Diagnostic(
        code="type-variable",
        message=f"type variable '{name}': {what}",
        primary=Label(span),
        help=("list each element type once",),
    )


def unchosen(span: Span, function: str, name: str) -> Diagnostic:
    return Diagnostic(
        code="type-variable",
        message=f"no argument of '{function}' says which type '{name}' is",
        primary=Label(span),
        notes=("a launch takes it from the elements of the arrays that it is given",),
        help=(f"annotate a parameter with `native.ptr[{name}]`, or write an element type in the place of '{name}'",),
    )


def in_device_function(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="type-variable",
        message=f"a device function has no type variables, and '{name}' is one",
        primary=Label(span),
        help=("write an element type: arguments convert to wider ones, so that f32 takes f16 and bf16 too",),
    )


def argument_choice(span: Span, kernel: str, parameter: str, given: DType, variable: TypeVariable) -> Diagnostic:
    return Diagnostic(
        code="argument-type",
        message=f"'{kernel}' has no instance for {python_name(given)}",
        primary=Label(span, f"this is a pointer to {given}, for '{parameter}'"),
        notes=(f"its type variable '{variable.name}' is {_listed(variable.choices)}",),
        help=(f"add {python_name(given)} to the type variable, or pass another pointer",),
    )


def argument_mismatch(span: Span, kernel: str, parameter: str, given: DType, name: str, chosen: DType) -> Diagnostic:
    return Diagnostic(
        code="argument-type",
        message=f"the pointers that '{kernel}' has for '{name}' are of two types",
        primary=Label(span, f"this is a pointer to {given}, for '{parameter}'"),
        notes=(f"'{name}' is {chosen} by an earlier argument",),
        help=("pass pointers to one type, or give the kernel two type variables",),
    )
