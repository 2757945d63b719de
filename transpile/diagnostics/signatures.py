"""Faults of the first lines of a function: decorators, parameters, annotations, what it returns."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.core import Diagnostic, Label
from transpile.dtypes import written_names
from transpile.source import Span

_SCALARS: Final = written_names("`")


def missing_annotation(span: Span, name: str, where: str) -> Diagnostic:
    pointer = f", or as `{name}: native.ptr[float]`" if where != "a device function" else ""
    return Diagnostic(
        code="missing-annotation",
        message=f"parameter '{name}' of {where} has no type",
        primary=Label(span),
        help=(f"annotate it with {_SCALARS}{pointer}",),
    )


def bad_annotation(span: Span, where: str, allows_pointers: bool) -> Diagnostic:
    pointers = "; `native.ptr[T]` and `native.const_ptr[T]` with T one of these; `native.static[int]`"
    return Diagnostic(
        code="bad-annotation",
        message=f"this is no type that {where} can have here",
        primary=Label(span),
        help=(f"write {_SCALARS}{pointers if allows_pointers else ''}",),
    )


def quoted_annotation(span: Span) -> Diagnostic:
    return Diagnostic(
        code="bad-annotation",
        message="a type in quotes is not read",
        primary=Label(span),
        help=("write it without the quotes",),
    )


def unknown_dtype(span: Span, name: str | None) -> Diagnostic:
    """What is written where an element type should stand; None where that is no name."""
    return Diagnostic(
        code="bad-annotation",
        message=f"'{name}' is no element type" if name is not None else "this is no element type",
        primary=Label(span),
        help=(f"write {_SCALARS}",),
    )


def device_parameter(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="device-signature",
        message=f"parameter '{name}' of a device function must be a scalar",
        primary=Label(span),
        help=("load in the kernel and pass the value",),
    )


def device_returns(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="device-signature",
        message=f"device function '{name}' must say which scalar it returns",
        primary=Label(span),
        help=("annotate its result: `-> float`",),
    )


def kernel_returns(span: Span, where: str) -> Diagnostic:
    return Diagnostic(
        code="kernel-returns",
        message=f"{where} returns nothing",
        primary=Label(span),
        help=("write `-> None` and store the results through a pointer",),
    )


def decorator_form(span: Span, decorator: str, allows_options: bool) -> Diagnostic:
    options = f"`@{decorator}` or `@{decorator}(alias=True, fast_math=True)`" if allows_options else f"`@{decorator}`"
    return Diagnostic(
        code="decorator-option",
        message=f"@{decorator} does not take this",
        primary=Label(span),
        help=(f"write {options}",),
    )


def misplaced(span: Span, written: str, name: str) -> Diagnostic:
    """A name of the language that has its own place: a decorator, an annotation, an allocation without its type."""
    forms = {
        "native.ptr": "it annotates a parameter: `x: native.ptr[float]`",
        "native.const_ptr": "it annotates a parameter: `x: native.const_ptr[float]`",
        "native.static": "it annotates a parameter: `n: native.static[int]`",
        "cuda.shared": "write `cuda.shared[float, 64]()`",
        "native.stack_alloc": "write `native.stack_alloc[float](64)`",
        "cuda.device_alloc": "write `cuda.device_alloc[float](n)`",
    }
    is_decorator = name.rpartition(".")[2] in ("kernel", "device")
    other = f"it is written above a `def`: `@{name}`" if is_decorator else f"call it: `{name}(…)`"
    return Diagnostic(
        code="misplaced-name",
        message=f"'{written}' cannot stand here",
        primary=Label(span),
        help=(forms.get(name, other),),
    )


def allocation_form(span: Span, name: str) -> Diagnostic:
    form = "cuda.shared[float, 64]()" if name == "cuda.shared" else f"{name}[float](64)"
    sizes = " and its size, or rows and columns" if name == "cuda.shared" else ""
    return Diagnostic(
        code="misplaced-name",
        message=f"{name} wants its type in brackets{sizes}",
        primary=Label(span),
        help=(f"write `{form}`",),
    )
