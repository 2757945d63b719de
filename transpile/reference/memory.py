"""Memory as the interpreter sees it: arrays that are checked at every access. An index is counted from the start of the
whole array that was passed; below 0 is out of bounds, not from the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from transpile.dtypes import DType
from transpile.ops.convert import hold
from transpile.reference.pointer import PointerValue

Array: TypeAlias = npt.NDArray[Any]

_GARBAGE: Final = 0xA5  # fills what the language leaves undefined, so that nobody relies on zeros


@dataclass(frozen=True, slots=True)
class Buffer:
    """Elements that accesses are checked against. `per` says who has `size` of its own: all, a block or a thread.

    `cells` is flat, the owners one after another. Bools are held as bytes: any byte but 0 is True.
    """

    name: str
    cells: Array
    size: int
    dtype: DType
    per: Literal["launch", "block", "thread"]

    @classmethod
    def of_argument(cls, pointer: PointerValue) -> Buffer:
        cells = pointer.array.view(_cell(pointer.dtype))
        return cls(f"'{pointer.name}'", cells, cells.shape[0], pointer.dtype, "launch")

    @classmethod
    def shared(cls, name: str, dtype: DType, size: int, blocks: int) -> Buffer:
        """Undefined at first: NaN, or a pattern that stands out."""
        cells = np.full(size * blocks * dtype.bytes, _GARBAGE, np.uint8).view(_cell(dtype))
        if dtype.is_float:
            cells[...] = hold(math.nan, dtype)
        return cls(f"the shared array '{name}'", cells, size, dtype, "block")

    @classmethod
    def local(cls, name: str, dtype: DType, size: int, threads: int) -> Buffer:
        """Zeros, for each thread."""
        return cls(f"the local array '{name}'", np.zeros(size * threads, _cell(dtype)), size, dtype, "thread")

    def read(self, places: Array) -> Array:
        """The elements at checked places."""
        cells = self.cells.take(places)
        return cells != 0 if self.dtype.kind == "bool" else cells

    def write(self, places: Array, values: Array) -> None:
        """Writes at checked places; of equal places, one wins."""
        self.cells[places] = values


def _cell(dtype: DType) -> npt.DTypeLike:
    return np.uint8 if dtype.kind == "bool" else np.dtype(dtype.held)


@dataclass(frozen=True, slots=True)
class Pointers:
    """The pointers that a frame's instances hold: into `buffers[which]`, or into the only buffer where that is None.

    `offset` has one element per instance, or one for all; None is 0 everywhere.
    """

    buffers: tuple[Buffer, ...]
    offset: Array | None
    which: Array | None = None

    def moved(self, index: Array) -> Pointers:
        with np.errstate(all="ignore"):
            return Pointers(self.buffers, index if self.offset is None else self.offset + index, self.which)

    def take(self, index: Array) -> Pointers:
        offset = self.offset if self.offset is None or self.offset.shape[0] == 1 else self.offset[index]
        which = self.which if self.which is None or self.which.shape[0] == 1 else self.which[index]
        return Pointers(self.buffers, offset, which)


def select_pointers(parts: Sequence[tuple[Array, Pointers]], size: int) -> Pointers:
    """The pointers of `size` instances, of which each part gives those at its places."""
    buffers = tuple({id(buffer): buffer for _, part in parts for buffer in part.buffers}.values())
    places = {id(buffer): place for place, buffer in enumerate(buffers)}
    offset = np.zeros(size, np.int64)
    which = np.zeros(size, np.int64)
    for index, part in parts:
        offset[index] = 0 if part.offset is None else part.offset
        table = np.array([places[id(buffer)] for buffer in part.buffers])
        which[index] = table[0] if part.which is None else table[part.which]
    return Pointers(buffers, offset, None if len(buffers) == 1 else which)


__all__ = ["Array", "Buffer", "PointerValue", "Pointers", "select_pointers"]
