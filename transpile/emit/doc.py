"""Breaks long lines where a reader would: a `Doc` is text with places where it may be broken, the outermost first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

WIDTH: Final = 100
INDENT: Final = 4


@dataclass(frozen=True, slots=True)
class Break:
    """A place to go to the next line; `flat` is what stands here otherwise."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Group:
    """Kept on one line if it fits. Otherwise its own breaks are taken as needed, those of inner groups only after."""

    parts: tuple[Doc, ...]


Doc: TypeAlias = str | Break | Group
SPACE: Final = Break()


def group(*parts: Doc) -> Group:
    return Group(parts)


def joined(docs: Iterable[Doc]) -> tuple[Doc, ...]:
    """The docs with a comma after each but the last, and a break after the comma."""
    parts: list[Doc] = []
    for doc in docs:
        if parts:
            parts += [",", SPACE]
        parts.append(doc)
    return tuple(parts)


def flat(doc: Doc) -> str:
    """The doc on one line."""
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Break):
        return doc.flat
    return "".join(flat(part) for part in doc.parts)


def lines(doc: Doc, indent: int = 0, hang: int | None = None) -> tuple[str, ...]:
    """The lines of a statement that starts at column `indent`; those after the first start at `hang` (default: one
    level deeper)."""
    writer = _Writer(indent, indent + INDENT if hang is None else hang)
    writer.write(doc, 0)
    return tuple(writer.done)


class _Writer:
    def __init__(self, indent: int, hang: int) -> None:
        self.done: list[str] = [" " * indent]
        self.hang = hang

    def write(self, doc: Doc, following: int) -> None:
        """Writes `doc`; `following` columns come behind it that cannot be broken off."""
        if isinstance(doc, str):
            self.done[-1] += doc
        elif isinstance(doc, Break) or self._fits(len(flat(doc)) + following):
            self.done[-1] += flat(doc)
        else:
            self._fill(doc.parts, following)

    def _fits(self, columns: int) -> bool:
        return len(self.done[-1]) + columns <= WIDTH

    def _fill(self, parts: Sequence[Doc], following: int) -> None:
        """Takes a break of `parts` where what stands before the next one would not fit."""
        for place, part in enumerate(parts):
            ahead = _unbroken(parts[place + 1 :])
            tail = ahead if ahead is not None else _total(parts[place + 1 :]) + following
            if isinstance(part, Break):
                is_longer_than_a_line = self.hang + tail > WIDTH
                if self._fits(len(part.flat) + (_head(parts[place + 1 :]) if is_longer_than_a_line else tail)):
                    self.done[-1] += part.flat
                else:
                    self.done[-1] = self.done[-1].rstrip()
                    self.done.append(" " * self.hang)
            elif isinstance(part, Group):
                self.write(part, tail)
            else:
                self.done[-1] += part


def _total(parts: Sequence[Doc]) -> int:
    return sum(len(flat(part)) for part in parts)


def _unbroken(parts: Sequence[Doc]) -> int | None:
    """The columns up to the next break of this level, or None where there is none."""
    columns = 0
    for part in parts:
        if isinstance(part, Break):
            return columns
        columns += len(flat(part))
    return None


def _head(parts: Sequence[Doc]) -> int:
    """The columns up to the first place where any part may be broken."""
    columns = 0
    for part in parts:
        if isinstance(part, Break):
            break
        if isinstance(part, Group):
            inner = _head(part.parts)
            if inner < len(flat(part)):
                return columns + inner
        columns += len(flat(part))
    return columns
