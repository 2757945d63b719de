"""Faults of control flow: names without a value, returns, ranges, and barriers that not all threads reach."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described, elsewhere, kind_word, this_is
from transpile.dtypes import DType, python_name
from transpile.ir import hir
from transpile.source import Span


def unbound(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="unbound-name",
        message=f"'{name}' has no value yet",
        primary=Label(span, "it is assigned further on"),
        help=(f"give '{name}' a value before this line",),
    )


def maybe_unbound(span: Span, name: str, place: Span) -> Diagnostic:
    return Diagnostic(
        code="maybe-unbound",
        message=f"'{name}' has no value on every path to here",
        primary=Label(span),
        secondary=(Label(place, "this may pass by its assignment"),),
        help=(f"give '{name}' a value before that",),
    )


def return_of_value(span: Span, kind: str) -> Diagnostic:
    return Diagnostic(
        code="return-value",
        message=f"{kind_word(kind)} returns nothing",
        primary=Label(span),
        help=("store the result through a pointer",) if kind != "launcher" else ("leave the value out",),
    )


def return_without_value(span: Span, function: hir.Function) -> Diagnostic:
    return Diagnostic(
        code="return-value",
        message=f"'{function.name}' must return a value",
        primary=Label(span),
        secondary=(Label(function.name_span, "a device function"),),
        help=("return a number of the type that is declared",),
    )


_CONVERTS: Final = "a returned value converts bool → int → float and f32 → f64, never the other way"


def _stored_only(dtype: DType) -> tuple[str, ...]:
    """What somebody who computes in a type for storage must be told."""
    if dtype.bits >= 32 or dtype.kind == "bool":
        return ()
    return (f"{dtype} is for storage: what is computed from it is {'f32' if dtype.is_float else 'i32'}",)


def return_type(operand: Described, function: hir.Function, declared: DType) -> Diagnostic:
    return Diagnostic(
        code="return-value",
        message=f"{operand.type} does not become {declared}, which '{function.name}' returns, by itself",
        primary=this_is(operand),
        secondary=(Label(function.name_span, f"declared to return {declared}"), *elsewhere(operand)),
        notes=(_CONVERTS, *_stored_only(declared)),
        help=(f"convert it: `native.cast(x, {python_name(declared)})`, or declare a wider type",),
    )


def missing_return(function: hir.Function) -> Diagnostic:
    return Diagnostic(
        code="missing-return",
        message=f"'{function.name}' can reach its end without returning a value",
        primary=Label(function.name_span),
        help=("end every path with a `return`",),
    )


def range_bound(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="range-bound",
        message="range counts with integers",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("`int(x)` makes an integer of a float, truncating",),
    )


def range_step_zero(span: Span) -> Diagnostic:
    return Diagnostic(
        code="range-step",
        message="a step of 0 never ends",
        primary=Label(span, "this is 0"),
        notes=("Python raises ValueError here",),
        help=("count by at least 1, up or down",),
    )


def _parting(parting: Span, source: Span) -> tuple[Label, ...]:
    labels = [Label(parting, "threads part here")]
    if (source.line, source.column) != (parting.line, parting.column):
        labels.append(Label(source, "this differs from thread to thread"))
    return tuple(labels)


def divergent_barrier(span: Span, parting: Span, source: Span) -> Diagnostic:
    """`syncthreads` where not every thread of the block may get."""
    return Diagnostic(
        code="divergent-barrier",
        message="not every thread of the block reaches this syncthreads",
        primary=Label(span),
        secondary=_parting(parting, source),
        notes=("flow that depends on the thread must not lead to a barrier: the others would wait for ever",),
        help=("move the barrier out of the branch or loop, and keep only the work inside it",),
    )


def divergent_group(span: Span, what: str, parting: Span, source: Span) -> Diagnostic:
    """A shuffle or `syncwarp` where not every thread of a group of 32 may get."""
    return Diagnostic(
        code="divergent-shuffle",
        message=f"not every thread of the group of 32 reaches this {what.removeprefix('a ')}",
        primary=Label(span),
        secondary=_parting(parting, source),
        notes=(
            "conditions on `thread_id() // 32`, and `thread_id() < n` with n a multiple of 32, are the same in a group",
        ),
        help=("move it out of the branch or loop, and choose afterwards whether its result is used",),
    )
