"""Faults of variables: one name with two types, tuples that do not match, pointers of two arrays under one name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described
from transpile.dtypes import python_name
from transpile.source import Span

if TYPE_CHECKING:
    from transpile.typing.types import Type
    from transpile.typing.variables import Clash, Variable

ONE_TYPE = "a variable has one type in the whole function"


def variable_clash(name: str, operand: Described, place: Span, clash: Clash) -> Diagnostic:
    """An assignment of something that the variable's type does not take."""
    known = clash.variable
    first = Label(known.place, f"'{name}' is {known.type} from here on")
    match clash.kind:
        case "shape":
            return Diagnostic(
                code="variable-shape",
                message=f"'{name}' is a tile of one shape and becomes one of another",
                primary=Label(place, f"this makes it {operand.type}"),
                secondary=(first,),
                notes=("a tile that a loop carries keeps its shape",),
                help=("give the other tile a name of its own",),
            )
        case "annotation":
            return Diagnostic(
                code="annotated-type",
                message=f"'{name}' is annotated {known.type} and is given {operand.type}",
                primary=Label(place, f"this is {operand.type}"),
                secondary=(Label(known.place, f"annotated {known.type}"),) if known.place != place else (),
                notes=("bool → int → float convert by themselves, anything narrower does not",),
                help=(f"convert it: `native.cast(value, {python_name(known.type.dtype)})`",),
            )
        case "integers":
            return Diagnostic(
                code="variable-type",
                message=f"'{name}' holds {known.type} and is given {operand.type}, which no integer type holds both of",
                primary=Label(place, f"this is {operand.type}"),
                secondary=(first,),
                notes=(ONE_TYPE,),
                help=("cast one of them",),
            )
        case "kind" | "pointer":
            return Diagnostic(
                code="variable-type",
                message=f"'{name}' is used for two kinds of thing",
                primary=Label(place, f"this makes it {operand.type}"),
                secondary=(first,),
                notes=(ONE_TYPE,),
                help=(_instead(name, known, operand, place),),
            )


def _instead(name: str, known: Variable, operand: Described, place: Span) -> str:
    if operand.is_pointer or not hasattr(known.type, "dtype"):
        return "give it a name of its own"
    lanes = operand.shape[0] if operand.shape is not None else None
    if lanes is not None and known.exact and known.place == place:
        return (
            "leave the annotation out: tiles have none; "
            f"`tile.cast(x, {python_name(known.type.dtype)})` makes one of such elements"
        )
    if lanes is not None:
        return f"start '{name}' as a tile: `tile.arange({lanes}) * 0.0`; or give the tile a name of its own"
    return "give it a name of its own"


def annotated_twice(name: str, place: Span, known: Variable, kind: Type) -> Diagnostic:
    return Diagnostic(
        code="annotated-type",
        message=f"'{name}' is annotated with two types",
        primary=Label(place, f"here {kind}"),
        secondary=(Label(known.place, f"first {known.type}"),),
        notes=(ONE_TYPE,),
        help=("annotate its first assignment alone",),
    )


def static_local(place: Span) -> Diagnostic:
    return Diagnostic(
        code="annotated-type",
        message="only a parameter is native.static[int]",
        primary=Label(place),
        help=("a local that is given a constant is known already: leave the annotation out",),
    )


def not_a_tuple(span: Span, count: int) -> Diagnostic:
    return Diagnostic(
        code="tuple-count",
        message=f"{count} names on the left, one value on the right",
        primary=Label(span),
        help=("write as many values: `a, b = x, y`",),
    )


def tuple_count(span: Span, names: int, values: int) -> Diagnostic:
    return Diagnostic(
        code="tuple-count",
        message=f"{names} names on the left, {values} values on the right",
        primary=Label(span),
        help=("write as many values as names",),
    )


def pointer_merge(name: str, place: Span, operands: Sequence[Described]) -> Diagnostic:
    """A variable that points into one array or another, depending on the path."""
    return Diagnostic(
        code="pointer-choice",
        message=f"'{name}' points into different arrays, depending on what runs",
        primary=Label(place, f"behind this, '{name}' may be either"),
        secondary=tuple(
            Label(operand.place, "of one array" if n == 0 else "of another") for n, operand in enumerate(operands)
        ),
        notes=("which array a pointer belongs to is known before the kernel runs",),
        help=("keep one pointer and change its offset, or choose between the loaded values",),
    )
