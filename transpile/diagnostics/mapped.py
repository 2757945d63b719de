"""Faults of `tile.map`: what it cannot apply, and how many operands that gets."""

from __future__ import annotations

from transpile.diagnostics.calls import counted, signature
from transpile.diagnostics.core import Diagnostic, Label
from transpile.ir import hir
from transpile.source import Span


def map_of_value(span: Span, instead: str = "`tile.map(f, x, y)`, with `f` decorated `@cuda.device`") -> Diagnostic:
    return Diagnostic(
        code="call-kind",
        message="tile.map wants a device function first",
        primary=Label(span),
        help=(instead,),
    )


def map_of_function(span: Span, name: str) -> Diagnostic:
    """`name` is a function of Python's own."""
    return map_of_value(span, f"decorate '{name}' `@cuda.device`, and write the types of what it takes and returns")


def map_of_operation(span: Span, name: str) -> Diagnostic:
    """`name` is a function of the language, which takes tiles itself."""
    return map_of_value(span, f"call it on the tiles: `{name}(…)`")


def map_count(span: Span, callee: hir.Function, count: int) -> Diagnostic:
    names = [parameter.name for parameter in callee.parameters]
    return Diagnostic(
        code="call-arguments",
        message=counted(f"'{callee.name}'", names, count),
        primary=Label(span),
        secondary=(Label(callee.name_span, "defined here"),),
        help=(f"its signature is `{signature(callee.name, names)}`",),
    )
