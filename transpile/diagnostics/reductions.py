"""Faults in what is folded or scanned."""

from __future__ import annotations

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described, elsewhere, this_is
from transpile.source import Span


def reduction_of_scalar(operand: Described, name: str, does: str = "folds") -> Diagnostic:
    return Diagnostic(
        code="reduction-operand",
        message=f"{name} {does} the lanes of a tile",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=(
            "load what it points to: `tile.load(pointer, offsets)`"
            if operand.is_pointer
            else "this is one number already; `max` and `min` compare several numbers",
        ),
    )


def reduction_of_numbers(operand: Described, name: str) -> Diagnostic:
    return Diagnostic(
        code="reduction-operand",
        message=f"{name} folds bools",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=(f"compare first: `{name}(t != 0)`",),
    )


def correction_not_constant(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="reduction-operand",
        message="the correction of tile.var is a constant whole number",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("0 for the variance of all lanes, 1 for that of a sample",),
    )


def correction(span: Span, given: int, lanes: int) -> Diagnostic:
    return Diagnostic(
        code="reduction-operand",
        message="a variance is over the number of lanes less the correction, which leaves one at least",
        primary=Label(span, f"this is {given}, of {lanes}"),
        help=(f"a correction from 0 to {lanes - 1}" if lanes > 1 else "leave it out: one lane varies by 0",),
    )
