"""Layouts: where each lane of a tile lives, as a linear map over bits.

The bits of a register number, of a lane in a warp, of a warp in a block and of a program slot each stand for one
column: the element-index bits, of every dimension, that they turn on. A position's element is the exclusive or of its
columns; a zero column means that the bit does not matter: the element is replicated. It decides nothing: `assign`
chooses layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor
from typing import Final, TypeAlias

from transpile.diagnostics.core import InternalError
from transpile.ir.tir import Value
from transpile.typing.types import Tile

Column: TypeAlias = tuple[int, ...]
WARP: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of each kind of bit, lowest bit first. `shape` is the tile's, one power of two a dimension.

    >>> print(grouped((1024,), 256, 1))
    r:256,512 t:1..16 w:32..128
    >>> print(grouped((1024,), 64, 4))
    r:1,2,256,512 t:4..64 w:128
    """

    shape: tuple[int, ...]
    register: tuple[Column, ...] = ()
    lane: tuple[Column, ...] = ()
    warp: tuple[Column, ...] = ()
    program: tuple[Column, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, register bits first, then lane, warp and program bits."""
        return self.register + self.lane + self.warp + self.program

    @property
    def registers(self) -> int:
        """How many lanes a thread holds."""
        return 1 << len(self.register)

    @property
    def group(self) -> int:
        """How many neighbours a thread holds at a time: its first registers, in row-major order."""
        count = 0
        while count < len(self.register) and _number(self.register[count], self.shape) == 1 << count:
            count += 1
        return 1 << count

    @property
    def threads(self) -> int:
        return 1 << (len(self.lane) + len(self.warp))

    @property
    def lanes(self) -> int:
        return reduce(lambda product, size: product * size, self.shape, 1)

    @property
    def is_onto(self) -> bool:
        """Whether every element lives somewhere."""
        return 1 << _rank(self._flat()) == self.lanes

    def element(self, register: int, thread: int, program: int = 0) -> Column:
        """The element index at a position, one number a dimension."""
        position = register | thread << len(self.register)
        position |= program << (len(self.register) + len(self.lane) + len(self.warp))
        chosen = [column for bit, column in enumerate(self.columns) if position >> bit & 1]
        return tuple(reduce(xor, (column[axis] for column in chosen), 0) for axis in range(len(self.shape)))

    def slice(self, axis: int) -> Layout:
        """The layout of what a fold along `axis` leaves: that axis has size 1, its bits no longer matter."""

        def cut(columns: tuple[Column, ...]) -> tuple[Column, ...]:
            return tuple((*column[:axis], 0, *column[axis + 1 :]) for column in columns)

        shape = (*self.shape[:axis], 1, *self.shape[axis + 1 :])
        return Layout(
            shape=shape,
            register=tuple(column for column in cut(self.register) if any(column)),
            lane=cut(self.lane),
            warp=cut(self.warp),
            program=cut(self.program),
        )

    def broadcast(self, shape: tuple[int, ...]) -> Layout:
        """This layout over stretched axes of size 1: their new bits are further registers."""
        extra: list[Column] = []
        for axis, (old, new) in enumerate(zip(self.shape, shape, strict=True)):
            if old not in (1, new):
                raise InternalError("only an axis of size 1 is stretched", (self.shape, shape))
            if old != new:
                extra += [_unit(len(shape), axis, bit) for bit in range(new.bit_length() - 1)]
        return replace(self, shape=shape, register=(*extra, *self.register))

    def _flat(self) -> tuple[int, ...]:
        """The columns as row-major element numbers."""
        return tuple(_number(column, self.shape) for column in self.columns)

    def __str__(self) -> str:
        kinds = (("r", self.register), ("t", self.lane), ("w", self.warp), ("p", self.program))
        parts = [f"{letter}:{_spell(columns)}" for letter, columns in kinds if columns]
        return " ".join(parts) or "r:-"


def grouped(shape: tuple[int, ...], threads: int, group: int) -> Layout:
    """Thread t holds groups of `group` row-major neighbours, a round of all threads apart: lanes t * group + k, then
    (threads + t) * group + k, … A tile has as many lanes, or groups are of one: then of a tile smaller than the block
    thread t holds lane t modulo its size."""
    if group > 1 and _lanes(shape) < threads * group:
        raise InternalError("a tile has a group for each thread", (shape, threads, group))
    bits = [_column(1 << bit, shape) for bit in range(_log2(_lanes(shape)))]
    inside, across = _log2(group), _log2(group) + _log2(threads)
    held, spread = bits[:inside] + bits[across:], bits[inside:across]
    spread += [(0,) * len(shape)] * (across - inside - len(spread))
    warp = _log2(WARP)
    return Layout(shape=shape, register=tuple(held), lane=tuple(spread[:warp]), warp=tuple(spread[warp:]))


def layout_of(value: Value) -> Layout:
    """Of a tile that has its layout by now."""
    if not isinstance(value.type, Tile) or value.type.layout is None:
        raise InternalError("a tile has its layout by now", value)
    return value.type.layout


def _lanes(shape: tuple[int, ...]) -> int:
    return reduce(lambda product, size: product * size, shape, 1)


def _log2(size: int) -> int:
    if size < 1 or size & (size - 1):
        raise InternalError("a layout's sizes are powers of two", size)
    return size.bit_length() - 1


def _unit(dimensions: int, axis: int, bit: int) -> Column:
    return tuple(1 << bit if place == axis else 0 for place in range(dimensions))


def _column(number: int, shape: tuple[int, ...]) -> Column:
    """A row-major element number as an index of each dimension."""
    index: list[int] = []
    for size in reversed(shape):
        index.append(number % size)
        number //= size
    return tuple(reversed(index))


def _number(index: Column, shape: tuple[int, ...]) -> int:
    number = 0
    for place, size in zip(index, shape, strict=True):
        number = number * size + place
    return number


def _rank(values: Sequence[int]) -> int:
    """The rank of bit vectors over the field of two elements."""
    basis: list[int] = []
    for value in values:
        for member in basis:
            value = min(value, value ^ member)
        if value:
            basis.append(value)
    return len(basis)


def _spell(columns: Sequence[Column]) -> str:
    """Runs of doubling columns as `first..last`; a zero column as `-`, five of them as `-*5`."""
    return ",".join(_runs(columns))


def _runs(columns: Sequence[Column]) -> Iterator[str]:
    start = 0
    while start < len(columns):
        end = start
        while end + 1 < len(columns) and _doubles(columns[end], columns[end + 1]):
            end += 1
        if end - start >= 2 and not any(columns[start]):
            yield f"-*{end - start + 1}"
        elif end - start >= 2:
            yield f"{_one(columns[start])}..{_one(columns[end])}"
        else:
            yield from (_one(column) for column in columns[start : end + 1])
        start = end + 1


def _doubles(left: Column, right: Column) -> bool:
    return any(left) == any(right) and all(2 * a == b for a, b in zip(left, right, strict=True))


def _one(column: Column) -> str:
    if not any(column):
        return "-"
    if len(column) == 1:
        return str(column[0])
    return f"({' '.join(str(index) for index in column)})"
