"""Moves work between the lane loops of one block: what only one later loop reads is worked out there, where that
keeps fewer tiles from loop to loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.lowering.cheap import Cheap, held
from transpile.lowering.steps import Item, Loop

REACH: Final = 64  # an op is moved with ops that stand at most so far above it


class Sinker:
    """`kept` are the tiles held between loops; it shrinks. `moves` says which loads may be moved."""

    def __init__(self, cheap: Cheap, kept: set[int], moves: Callable[[tir.Load], bool]) -> None:
        self.cheap = cheap
        self.kept = kept
        self.moves = moves
        self.readers: dict[int, list[tuple[Loop | None, Item | None]]] = defaultdict(list)

    def note(self, loop: Loop | None, item: Item) -> None:
        """`item` reads its operands in `loop`, or outside lane loops."""
        for value in operands_of(item.op):
            if held(value) > 1:
                self.readers[value.id].append((loop, item))

    def read_at_end(self, values: Sequence[Value]) -> None:
        for value in values:
            self.readers[value.id].append((None, None))

    def sink(self, loops: Sequence[Loop]) -> None:
        """Moves what is better worked out in a later one of `loops`, which stand in one block in this order."""
        order = {id(loop): place for place, loop in enumerate(loops)}
        for loop in reversed(loops):
            place = len(loop.items) - 1
            while place >= 0:
                target = self._target(loop, loop.items[place], order)
                together = self._together(loop, place) if target is not None else None
                if target is not None and together is not None:
                    self._move(loop, target, together)
                    place = min(place, len(loop.items))
                place -= 1

    def _target(self, loop: Loop, item: Item, order: dict[int, int]) -> Loop | None:
        """The one loop that reads what `item` gives, if it is a later one of this block."""
        result = result_of(item.op)
        if result is None or result.id not in self.kept or result in self.cheap or not self._is_movable(item):
            return None
        readers = {id(reader): reader for reader, _ in self.readers[result.id]}
        target = next(iter(readers.values()), None) if len(readers) == 1 else None
        return target if target is not None and order.get(id(target), -1) > order[id(loop)] else None

    def _is_movable(self, item: Item) -> bool:
        op = item.op
        return not isinstance(op, tir.Store | tir.Atomic) and (not isinstance(op, tir.Load) or self.moves(op))

    def _together(self, loop: Loop, place: int) -> list[int] | None:
        """The places of the ops to move with the one at `place`, so that nothing more has to be kept; None if that
        cannot be."""
        chosen = [place]
        items = [loop.items[place]]
        wanted = self._wanted(loop.items[place])
        for earlier in range(place - 1, max(place - REACH, 0) - 1, -1):
            item = loop.items[earlier]
            result = result_of(item.op)
            if result is None or result.id not in wanted:
                continue
            read_here_alone = all(reader in items for _, reader in self.readers[result.id])
            if not read_here_alone or not self._is_movable(item):
                return None
            wanted.discard(result.id)
            wanted |= self._wanted(item)
            chosen.append(earlier)
            items.append(item)
        return None if wanted else chosen

    def _wanted(self, item: Item) -> set[int]:
        """The tiles that `item` reads and that the other loop could not get."""
        tiles = (value for value in operands_of(item.op) if held(value) > 1)
        return {value.id for value in tiles if value.id not in self.kept and value not in self.cheap}

    def _move(self, loop: Loop, target: Loop, places: Sequence[int]) -> None:
        first = result_of(loop.items[places[0]].op)
        if first is not None:
            self.kept.discard(first.id)
        for place in places:
            item = loop.items.pop(place)
            target.items.insert(0, item)
            for value in operands_of(item.op):
                if held(value) > 1:
                    self.readers[value.id] = [
                        (target if reader is item else at, reader) for at, reader in self.readers[value.id]
                    ]
