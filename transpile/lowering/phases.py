"""Takes the work of one lane loop apart where accesses move several lanes at once: these stand between lane loops.

A phase is a lane loop, then such accesses. Work is done in the first phase in which it can be; what has no effect, in
the last in which it need be, so that little is kept from phase to phase.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.lowering.cheap import Cheap
from transpile.lowering.effects import is_access
from transpile.lowering.segment import Memory
from transpile.lowering.steps import Item, Loop
from transpile.typing.types import Tile


@dataclass(slots=True)
class Phase:
    """`kept` are the tiles that later phases, or the accesses of this one, read from the loop over `lanes`."""

    lanes: list[Item] = field(default_factory=list)
    folded: list[Item] = field(default_factory=list)
    groups: list[Item] = field(default_factory=list)
    kept: set[int] = field(default_factory=set)


def split(
    step: Loop, is_grouped: Callable[[lir.Op], bool], memory: Memory, cheap: Cheap, kept: set[int]
) -> list[Phase]:
    """The phases of `step`. `is_grouped` says which accesses move several lanes; `kept` are the tiles that are read
    after the step."""
    splitter = _Splitter([*step.items, *step.folded], is_grouped, memory)
    splitter.raise_levels()
    splitter.sink(kept)
    phases = [Phase() for _ in range(max(splitter.level, default=0) + 1)]
    folded = len(step.items)
    for place, item in enumerate(splitter.items):
        phase = phases[splitter.level[place]]
        part = phase.folded if place >= folded else phase.groups if splitter.grouped[place] else phase.lanes
        part.append(item)
        result = result_of(item.op)
        if result is not None and part is phase.lanes and splitter.is_read_apart(place, result, cheap):
            phase.kept.add(result.id)
    return phases


class _Splitter:
    def __init__(self, items: list[Item], is_grouped: Callable[[lir.Op], bool], memory: Memory) -> None:
        self.items = items
        self.memory = memory
        self.grouped = [is_grouped(item.op) for item in items]
        self.level = [0] * len(items)
        self.users: dict[int, list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            for value in _read(item.op, self.grouped[place]):
                self.users[value.id].append(place)

    def raise_levels(self) -> None:
        """The first phase of each op: after the accesses that it belongs after."""
        ready: dict[int, int] = {}
        accesses: list[int] = []
        for place, item in enumerate(self.items):
            op = item.op
            level = max((ready.get(value.id, 0) for value in _read(op, self.grouped[place])), default=0)
            if is_access(op):
                for before in accesses:
                    if self.memory.ordered(self.items[before].op, op):
                        passed = self.grouped[before] and not self.grouped[place]
                        level = max(level, self.level[before] + passed)
                accesses.append(place)
            self.level[place] = level
            if (result := result_of(op)) is not None:
                ready[result.id] = level + self.grouped[place]

    def sink(self, kept: set[int]) -> None:
        """Moves what has no effect down to the first phase that reads it."""
        for place in reversed(range(len(self.items))):
            op = self.items[place].op
            result = result_of(op)
            if result is None or isinstance(op, tir.Load | tir.Atomic | tir.Reduce) or result.id in kept:
                continue
            first = min((self.level[user] for user in self.users[result.id]), default=self.level[place])
            self.level[place] = max(self.level[place], first)

    def is_read_apart(self, place: int, result: Value, cheap: Cheap) -> bool:
        """Whether something other than its own lane loop reads `result`, and cannot work it out again."""
        users = self.users[result.id]
        if any(self.grouped[user] for user in users):
            return True
        return result not in cheap and any(self.level[user] > self.level[place] for user in users)


def lanes_read(op: lir.Op) -> list[Value]:
    """The tiles of which an access of groups reads each lane. Of where it goes, the first lane tells; what masked-off
    lanes are is one scalar."""
    match op:
        case tir.Load():
            read: tuple[Value | None, ...] = (op.mask,)
        case tir.Store():
            read = (op.mask, op.value)
        case _:
            read = ()
    return [value for value in read if value is not None]


def _read(op: lir.Op, is_grouped: bool) -> list[Value]:
    """The tiles of which `op` reads each lane."""
    return lanes_read(op) if is_grouped else [value for value in operands_of(op) if isinstance(value.type, Tile)]
