"""What a fault may say of an operand, without knowing the checker that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transpile.diagnostics.core import Label
from transpile.source import Span

if TYPE_CHECKING:
    from transpile.dtypes import DType
    from transpile.typing.types import Type


class Described(Protocol):
    """An operand: `place` is where a reader looks for it, the assignment of a variable or the expression itself."""

    @property
    def type(self) -> Type: ...

    @property
    def span(self) -> Span: ...

    @property
    def place(self) -> Span: ...

    @property
    def dtype(self) -> DType: ...

    @property
    def constant(self) -> bool | int | float | None: ...

    @property
    def is_tile(self) -> bool: ...

    @property
    def is_pointer(self) -> bool: ...

    @property
    def shape(self) -> tuple[int, ...] | None: ...


def this_is(operand: Described, span: Span | None = None) -> Label:
    """`this is tile[f64, 64]`, at the operand or at `span`."""
    return Label(span if span is not None else operand.span, f"this is {operand.type}")


def elsewhere(*operands: Described) -> tuple[Label, ...]:
    """A label at the assignment of each operand that is a variable's."""
    return tuple(this_is(operand, operand.place) for operand in operands if operand.place != operand.span)


def kind_word(kind: str) -> str:
    """What a kind of function is called in messages."""
    return {
        "tile": "a tile kernel",
        "thread": "a thread kernel",
        "device": "a device function",
        "launcher": "a launcher",
    }[kind]


def listed(names: tuple[str, ...] | list[str]) -> str:
    """`a`, `a and b`, `a, b and c`, each in quotes."""
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
