"""Orders the ops of one segment: levels, loops, folds (see `plan`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.lowering.cheap import held
from transpile.lowering.steps import FoldStep, Inline, Item, Loop, Step
from transpile.typing.types import Tile


class Memory(Protocol):
    """What is known of two accesses of one function, in the order in which they stand."""

    def is_written(self, pointer: Value) -> bool:
        """Whether anything writes what the pointer reaches."""

    def ordered(self, first: lir.Op, second: lir.Op) -> bool:
        """Whether they may touch one address, and one of them writes."""

    def meets(self, first: lir.Op, second: lir.Op) -> bool:
        """Whether, besides, different lanes may touch that address."""


class Segment:
    """`reads` counts the reads of each value in the whole function."""

    def __init__(
        self,
        items: Sequence[Item],
        reads: Counter[int],
        memory: Memory,
        accumulates: Callable[[tir.Reduce], bool],
    ) -> None:
        self.items = items
        self.memory = memory
        self.accumulates = accumulates
        self.level = [0] * len(items)
        self.users: dict[int, list[int]] = defaultdict(list)
        made: set[int] = set()
        for place, item in enumerate(items):
            for value in operands_of(item.op):
                self.users[value.id].append(place)
            if (result := result_of(item.op)) is not None:
                made.add(result.id)
        self.leaves = {key for key in made if reads[key] > len(self.users[key])}  # what is read elsewhere, too

    def steps(self) -> list[Step]:
        """Everything in the order in which it is done."""
        if not any(_lanes(item.op) > 1 for item in self.items):
            return list(self._as_written())
        self._raise()
        for place in reversed(range(len(self.items))):
            self._sink(place)
        return [step for level in range(max(self.level) + 1) for step in self._of_level(level)]

    def _as_written(self) -> Iterator[Step]:
        inline = Inline()
        for item in self.items:
            if _meets_others(item.op):
                if inline.items:
                    yield inline
                yield FoldStep(item)
                inline = Inline()
            else:
                inline.items.append(item)
        if inline.items:
            yield inline

    def _raise(self) -> None:
        """The first level at which each op can be done. No load passes a fold, nor an access one that it belongs
        after."""
        ready: dict[int, int] = {}
        below_folds = 0
        accesses: list[int] = []
        for place, item in enumerate(self.items):
            op = item.op
            level = max((ready.get(value.id, 0) for value in operands_of(op)), default=0)
            match op:
                case tir.Note():
                    level = below_folds
                case tir.Load() if not self.memory.is_written(op.pointer):
                    level = max(level, below_folds)
                case tir.Load() | tir.Store() | tir.Atomic():
                    before = [self.level[e] for e in accesses if self.memory.ordered(self.items[e].op, op)]
                    level = max(level, 0 if isinstance(op, tir.Store) else below_folds, *before)
                    accesses.append(place)
                case tir.Reduce() | tir.Scan():
                    below_folds = max(below_folds, level + 1)
            self.level[place] = level
            if (result := result_of(op)) is not None:
                ready[result.id] = level + 1 if _meets_others(op) else level

    def _sink(self, place: int) -> None:
        """Moves an op without effects, whose result costs nothing to keep, down to the first op that reads it."""
        op = self.items[place].op
        result = result_of(op)
        if (
            result is None
            or isinstance(op, tir.Load | tir.Atomic | tir.Reduce | tir.Scan)
            or result.id in self.leaves
            or _lanes(op) > 1
        ):
            return
        target = min((self.level[user] for user in self.users[result.id]), default=self.level[place])
        self.level[place] = max(self.level[place], target)

    def _of_level(self, level: int) -> Iterator[Step]:
        before, after = Inline(), Inline()
        loops: dict[tuple[int, ...], Loop] = {}
        folds: list[FoldStep] = []
        places = [place for place in range(len(self.items)) if self.level[place] == level]
        last = max((place for place in places if self._is_of_lanes(place)), default=-1)
        for place in places:
            item = self.items[place]
            op = item.op
            if isinstance(op, tir.Scan):
                folds.append(FoldStep(item))
            elif isinstance(op, tir.Reduce):
                accumulated = held(op.operand) > 1 and self.accumulates(op)
                if accumulated:
                    self._loop(op.operand, loops).folded.append(item)
                folds.append(FoldStep(item, accumulated))
            elif _lanes(op) > 1:
                self._loop(_tile(op), loops).items.append(item)
            elif place < last:
                before.items.append(item)
            else:
                after.items.append(item)
        steps: list[Step] = [before, *loops.values(), *folds, after]
        yield from (step for step in steps if step != Inline())

    def _is_of_lanes(self, place: int) -> bool:
        op = self.items[place].op
        return _meets_others(op) or _lanes(op) > 1

    def _loop(self, tile: Value, loops: dict[tuple[int, ...], Loop]) -> Loop:
        shape = tile.type.shape if isinstance(tile.type, Tile) else ()
        return loops.setdefault(shape, Loop(held(tile)))


def _meets_others(op: lir.Op) -> bool:
    """Whether lanes of one tile meet in it."""
    return isinstance(op, tir.Reduce | tir.Scan)


def _tile(op: lir.Op) -> Value:
    """A tile that says in which loop `op` runs: its result, or what it stores."""
    result = result_of(op)
    return result if result is not None else operands_of(op)[-1]


def _lanes(op: lir.Op) -> int:
    if isinstance(op, tir.Note):
        return 0
    if isinstance(op, tir.Reduce):
        return held(op.operand)
    return held(_tile(op))
