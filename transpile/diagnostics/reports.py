"""Faults of `print` and `assert`: what cannot be written, and where a report would be made lane by lane."""

from __future__ import annotations

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described, elsewhere, this_is
from transpile.source import Span


def not_printed(operand: Described) -> Diagnostic:
    """A tile or a pointer in a `print`."""
    if operand.is_tile:
        help_ = "print a number of it: `tile.max(x)`, `tile.sum(x)`, or one lane, as `tile.load(pointer, i)` reads it"
    else:
        help_ = "print what it points to: `tile.load(pointer, i)` or `native.load(pointer)`"
    return Diagnostic(
        code="print-value",
        message="'print' shows numbers and bools, one at a time",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=(help_,),
    )


def too_many_values(span: Span, count: int, most: int) -> Diagnostic:
    return Diagnostic(
        code="print-value",
        message=f"one 'print' shows at most {most} values",
        primary=Label(span, f"these are {count}"),
        help=("print in several lines",),
    )


def form_of_value(span: Span, spec: str, operand: Described) -> Diagnostic:
    """A format that is not of this type, or not one that all targets write alike."""
    if operand.dtype.is_float:
        known = "`.3f`, `.6e`, `.4g`, `10.3f`, `<10.3f` or `+.3f`"
    elif operand.dtype.kind == "uint":
        known = "`5d`, `<5d`, `05d`, `+d`, `x`, `X` or `o`"
    else:
        known = "`5d`, `<5d`, `05d` or `+d`"
    return Diagnostic(
        code="print-form",
        message=f"'{spec}' is no form that every target writes of {operand.type}",
        primary=Label(span),
        help=(f"forms of it are {known}; with none it is written whole",),
    )


def report_per_lane(span: Span, function: str) -> Diagnostic:
    """A device function that prints or asserts, on tiles."""
    return Diagnostic(
        code="report-per-lane",
        message=f"'{function}' prints or asserts, and is applied to every lane of a tile here",
        primary=Label(span),
        help=("report in the kernel: `assert tile.all(x > 0)`, `print(tile.max(x))`",),
    )
