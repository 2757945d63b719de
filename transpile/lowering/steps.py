"""The parts of a plan: statements, and the steps that a segment is done in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from transpile.ir import lir, tir
from transpile.ir.walk import result_of
from transpile.typing.types import Tile


@dataclass(frozen=True, slots=True)
class Statement:
    """A Python statement, numbered within the function: two may have one text."""

    number: int
    note: tir.Note


@dataclass(frozen=True, slots=True)
class Item:
    """An op and the statement that it belongs to."""

    op: lir.Op
    statement: Statement | None


@dataclass(slots=True)
class Inline:
    """Scalars, and tiles of which a thread holds one lane: they stand in the block itself."""

    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A lane loop over tiles of `count` lanes a thread. `folded` are the folds that it accumulates as it runs."""

    count: int
    items: list[Item] = field(default_factory=list)
    folded: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class FoldStep:
    """A fold or a scan of what a loop kept; where `accumulated`, a fold of what it accumulated in each thread."""

    item: Item
    accumulated: bool = False


Step: TypeAlias = Inline | Loop | FoldStep


def begins_statement(op: lir.Op) -> bool:
    """Whether a statement's text belongs above this op: not above a nameless part of an expression on scalars,
    which will stand where it is read."""
    result = result_of(op)
    if result is None or result.name or isinstance(result.type, Tile):
        return True
    return not isinstance(op, tir.Const | tir.Index | tir.Apply | tir.Cast | tir.Offset)
