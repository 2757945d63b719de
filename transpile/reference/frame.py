"""Which programs or threads are running, and the values they hold.

A frame is a set of instances that take the same way. A value is an array whose first axis runs over them, or is of
length 1 where all hold the same; a tile's axes follow, each at its full size, or 1 where it repeats. Where the way
parts, each branch runs in a frame of its own with the instances that take it; a value from outside is gathered when it
is first read. So nothing is ever computed, and no memory touched, for an instance that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.ir.tir import Value
from transpile.reference.memory import Array, Buffer, Pointers, select_pointers

Held: TypeAlias = Array | Pointers


@dataclass(slots=True)
class Batch:
    """Some consecutive programs or blocks of a launch, run together. `first` is the number of the first, x fastest."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    first: int
    count: int
    is_threads: bool
    shared: dict[int, Buffer] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """Instances of a block: threads, or the one program."""
        return self.block[0] * self.block[1] * self.block[2] if self.is_threads else 1

    def block_index(self, positions: Array, axis: int) -> Array:
        """The block's (program's) coordinate of the instances at `positions`."""
        if self.grid[axis] == 1:
            return np.zeros(1, np.int64)
        return _coordinate(positions // self.threads + self.first, self.grid, axis)

    def thread_index(self, positions: Array, axis: int) -> Array:
        """The thread's coordinate in its block."""
        if self.block[axis] == 1:
            return np.zeros(1, np.int64)
        return _coordinate(positions % self.threads, self.block, axis)

    def block_name(self, position: int) -> str:
        """`program 3`, `block (3, 0, 1)`: of the instance at `position`."""
        word = "block" if self.is_threads else "program"
        return f"{word} {_shown(position // self.threads + self.first, self.grid)}"

    def name(self, position: int) -> str:
        """`program 3`, `block 3, thread 17`."""
        if not self.is_threads:
            return self.block_name(position)
        return f"{self.block_name(position)}, {self.thread_name(position)}"

    def thread_name(self, position: int) -> str:
        return f"thread {_shown(position % self.threads, self.block)}"


def _coordinate(linear: Array, sizes: tuple[int, int, int], axis: int) -> Array:
    below = (1, sizes[0], sizes[0] * sizes[1])[axis]
    return linear // below % sizes[axis]


def _shown(linear: int, sizes: tuple[int, int, int]) -> str:
    x, y, z = linear % sizes[0], linear // sizes[0] % sizes[1], linear // (sizes[0] * sizes[1])
    return str(x) if sizes[1] == sizes[2] == 1 else f"({x}, {y}, {z})"


@dataclass(slots=True)
class Call:
    """One running function. `origin` gives the position in the batch of each instance that it was entered with; where
    a device function runs lane by lane, `lanes` instances stand for each. `returned` collects what it returns."""

    batch: Batch | None
    size: int
    origin: Array
    lanes: int = 1
    returned: list[Part] = field(default_factory=list)


class Frame:
    """The instances at `index` of `parent` (None: all of them), and what they have computed."""

    __slots__ = ("_slots", "call", "index", "parent", "size", "values")

    def __init__(self, call: Call, parent: Frame | None = None, index: Array | None = None) -> None:
        self.call = call
        self.parent = parent
        self.index = index
        self.size: int = (call.size if parent is None else parent.size) if index is None else index.shape[0]
        self.values: dict[int, Held] = {}
        self._slots: Array | None = None

    def inner(self, index: Array | None = None) -> Frame:
        """A frame of those at `index`, or of all."""
        return Frame(self.call, self, index)

    def bind(self, values: Sequence[Value], held: Sequence[Held]) -> None:
        for value, one in zip(values, held, strict=True):
            self.values[value.id] = one

    def held(self, value: Value) -> Held:
        """What the instances hold as `value`."""
        found = self.values.get(value.id)
        if found is not None:
            return found
        if self.parent is None:
            raise InternalError("a value is read before it is defined", value)
        found = self.parent.held(value)
        if self.index is not None:
            found = take(found, self.index)
        self.values[value.id] = found
        return found

    def array(self, value: Value) -> Array:
        """As `held`, of a scalar or a tile."""
        found = self.held(value)
        if isinstance(found, Pointers):
            raise InternalError("a pointer where a number is expected", value)
        return found

    def pointers(self, value: Value) -> Pointers:
        """As `held`, of a pointer."""
        found = self.held(value)
        if not isinstance(found, Pointers):
            raise InternalError("a number where a pointer is expected", value)
        return found

    def drop(self, ids: Sequence[int], outermost: Frame) -> None:
        """Forgets values that nobody reads again, here and in the frames around up to `outermost`."""
        frame: Frame | None = self
        while frame is not None:
            for one in ids:
                frame.values.pop(one, None)
            frame = None if frame is outermost else frame.parent

    def index_in(self, ancestor: Frame) -> Array | None:
        """Where these instances are in `ancestor`; None: they are all of it, in order."""
        index: Array | None = None
        frame = self
        while frame is not ancestor:
            if frame.index is not None:
                index = frame.index if index is None else frame.index[index]
            if frame.parent is None:
                raise InternalError("not a frame around this one", ancestor)
            frame = frame.parent
        return index

    @property
    def slots(self) -> Array:
        """Where these instances are among those that the function was entered with."""
        if self._slots is None:
            if self.parent is None:
                self._slots = np.arange(self.size)
            else:
                self._slots = self.parent.slots if self.index is None else self.parent.slots[self.index]
        return self._slots

    @property
    def positions(self) -> Array:
        """Where these instances are in the batch."""
        return self.call.origin[self.slots]


def take(held: Held, index: Array) -> Held:
    """What the instances at `index` hold."""
    if isinstance(held, Pointers):
        return held.take(index)
    return held if held.shape[0] == 1 else held[index]


# Some instances of a frame, by where they are in it (None: all of them, in order), and the values that these hold.
Part: TypeAlias = "tuple[Array | None, tuple[Held, ...]]"


def gather(parts: Sequence[Part], size: int) -> Part:
    """Brings parts of a frame of `size` instances together again, in their order in the frame."""
    if len(parts) == 1:
        return parts[0]
    placed = [(np.arange(size) if index is None else index, values) for index, values in parts]
    present = np.zeros(size, bool)
    for places, _ in placed:
        present[places] = True
    kept = None if present.all() else np.flatnonzero(present)
    joined = []
    for number in range(len(placed[0][1])):
        one = _spread([(places, values[number]) for places, values in placed], size)
        joined.append(one if kept is None else take(one, kept))
    return kept, tuple(joined)


def _spread(parts: list[tuple[Array, Held]], size: int) -> Held:
    first = parts[0][1]
    if isinstance(first, Pointers):
        return select_pointers([(places, one) for places, one in parts if isinstance(one, Pointers)], size)
    arrays = [(places, one) for places, one in parts if not isinstance(one, Pointers)]
    lanes = np.broadcast_shapes(*(one.shape[1:] for _, one in arrays))
    whole = np.empty((size, *lanes), first.dtype)
    for places, one in arrays:
        whole[places] = one
    return whole
