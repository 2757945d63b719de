"""`if`, `for` and `while` over many instances at once: they part where their conditions differ, and meet again after.
Instances that have returned, or left the loop around, do not come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.reference.frame import Frame, Held, Part, gather, take
from transpile.reference.memory import Array

if TYPE_CHECKING:
    from transpile.reference.execute import Exit, Program

_ALL: Final = np.ones(1, bool)


def run_if(program: Program, op: tir.If, frame: Frame, exits: list[Exit]) -> Frame | None:
    """Gives the frame of the instances that go on after the `if`; adds those that leave the block to `exits`."""
    cond = frame.array(op.cond)
    first = bool(cond[0])
    if cond.shape[0] == 1 or bool((cond == first).all()):
        left = program.block(op.then if first else op.orelse, frame)
    else:
        left = program.block(op.then, frame.inner(np.flatnonzero(cond)))
        left += program.block(op.orelse, frame.inner(np.flatnonzero(~cond)))
    on: list[Part] = []
    for one in left:
        if isinstance(one.end, tir.Yield):
            on.append((one.frame.index_in(frame), one.values))
        else:
            exits.append(one)
    return _rejoin(on, frame, op.results)


def run_for(program: Program, op: tir.For, frame: Frame) -> Frame | None:
    """Gives the frame of the instances that go on after the loop."""
    turns = _turns(frame.array(op.start), frame.array(op.stop), frame.array(op.step))
    loop = _Loop(frame, op.inits)
    same = int(turns[0]) if turns.shape[0] == 1 else None
    turn = 0
    while loop.live is not None:
        live: Frame | None = loop.live
        if same is None:
            left = turns if loop.live.index is None else take_array(turns, loop.live.index)
            live = loop.leave(left <= turn)
        elif turn == same:
            live = loop.leave(_ALL)
        if live is None:
            break
        inner = live.inner()
        inner.bind(op.carried, loop.carried)
        inner.bind((op.index,), (live.array(op.start) + live.array(op.step) * np.int64(turn),))
        loop.turned(program.block(op.body, inner))
        turn += 1
    return _rejoin(loop.done, frame, op.results)


def run_while(program: Program, op: tir.While, frame: Frame) -> Frame | None:
    """Gives the frame of the instances that go on after the loop."""
    loop = _Loop(frame, op.inits)
    while loop.live is not None:
        test = loop.live.inner()
        test.bind(op.carried, loop.carried)
        ends: list[Part] = [(one.frame.index_in(loop.live), one.values) for one in program.block(op.test, test)]
        index, (cond,) = gather(ends, loop.live.size)
        if index is not None or not isinstance(cond, np.ndarray):
            raise InternalError("a test does not leave its loop", op.span)
        live = loop.leave(~cond)
        if live is None:
            break
        inner = live.inner()
        inner.bind(op.carried, loop.carried)
        loop.turned(program.block(op.body, inner))
    return _rejoin(loop.done, frame, op.results)


class _Loop:
    """Those of `frame` that still turn (`live`, None when none does) with what they carry, and those that left."""

    def __init__(self, frame: Frame, inits: tuple[Value, ...]) -> None:
        self.frame = frame
        self.live: Frame | None = frame.inner()
        self.carried: tuple[Held, ...] = tuple(frame.held(value) for value in inits)
        self.done: list[Part] = []

    def leave(self, over: Array) -> Frame | None:
        """The live instances for which `over` holds leave with what they carry. Gives those that stay."""
        assert self.live is not None
        if not over.any():
            return self.live
        if over.all():
            self.done.append((self.live.index, self.carried))
            self.live = None
            return None
        gone, kept = np.flatnonzero(over), np.flatnonzero(~over)
        self.done.append((self._in_frame(gone), tuple(take(one, gone) for one in self.carried)))
        self.carried = tuple(take(one, kept) for one in self.carried)
        self.live = self._inner(kept)
        return self.live

    def turned(self, exits: list[Exit]) -> None:
        """Sorts the exits of the body: instances that broke out are done, the others carry what they yielded."""
        assert self.live is not None
        on: list[Part] = []
        for one in exits:
            if isinstance(one.end, tir.Break):
                index = one.frame.index_in(self.live)
                self.done.append((self.live.index if index is None else self._in_frame(index), one.values))
            else:
                on.append((one.frame.index_in(self.live), one.values))
        if not on:
            self.live = None
            return
        index, self.carried = gather(on, self.live.size)
        if index is not None:
            self.live = self._inner(index)

    def _inner(self, index: Array) -> Frame:
        return self.frame.inner(self._in_frame(index))

    def _in_frame(self, index: Array) -> Array:
        assert self.live is not None
        return index if self.live.index is None else take_array(self.live.index, index)


def _rejoin(parts: list[Part], frame: Frame, results: tuple[Value, ...]) -> Frame | None:
    """Brings parts of `frame` together: in it, if they are all of it, else in a frame inside. None: nobody is left."""
    if not parts:
        return None
    index, values = gather(parts, frame.size)
    after = frame if index is None else frame.inner(index)
    after.bind(results, values)
    return after


def take_array(array: Array, index: Array) -> Array:
    """What the instances at `index` hold of numbers."""
    found: Array = array if array.shape[0] == 1 else array[index]
    return found


def _turns(start: Array, stop: Array, step: Array) -> Array:
    """How often `range(start, stop, step)` turns, exactly: a distance may need 64 bits without a sign."""
    first, last, stride = (bound.astype(np.int64).view(np.uint64) for bound in (start, stop, step))
    is_up = step > 0
    distance = np.where(is_up, last - first, first - last)
    size = np.where(is_up, stride, np.uint64(0) - stride)
    some = np.where(is_up, start < stop, (start > stop) & (step < 0))
    turns: Array = (distance - np.uint64(1)) // np.where(size == 0, np.uint64(1), size) + np.uint64(1)
    return np.where(some, turns, np.uint64(0))
