"""Decides which lane loop each op of a laid-out tile kernel runs in, and in which order (nothing is built here).

A *segment* is a stretch of a block without control flow, prints and asserts in which no lane's access may meet another
lane's, so its ops may change places. In a segment, work has *levels*: what a fold of level n gives is of level n + 1.
All elementwise work of one size and level is one loop; a load stays below the folds that stand before it. Work moves up
to its operands, or down to its users where that keeps nothing more alive. Tiles of which a thread holds one lane need
no loop at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops, blocks_of, end_values, operands_of, result_of
from transpile.lowering.cheap import Cheap, held
from transpile.lowering.effects import is_access
from transpile.lowering.segment import Memory, Segment
from transpile.lowering.sink import Sinker
from transpile.lowering.steps import FoldStep, Inline, Item, Loop, Statement, Step

Accumulates: TypeAlias = Callable[[tir.Reduce], bool]
MOST_ACCESSES: Final = 64  # of one segment to what is written: all pairs of them are looked at


@dataclass(slots=True)
class Branch:
    """An `If`, `For` or `While`, and what its blocks hold."""

    item: Item
    regions: tuple[Region, ...]


@dataclass(slots=True)
class Region:
    """A block: segments and branches in order. `tail` is the statement that its end belongs to, if no op does."""

    parts: list[list[Step] | Branch]
    end: tir.Terminator
    tail: Statement | None


@dataclass(slots=True)
class Plan:
    """`kept` are the tiles that must be held as a `Vec` from the loop that works them out."""

    region: Region
    cheap: Cheap
    kept: set[int] = field(default_factory=set)


def plan_function(
    function: tir.Function, memory: Memory, accumulates: Accumulates, *, delays_loads: bool = False
) -> Plan:
    """`accumulates` says which folds a loop may take over as it runs; `delays_loads`: what a load reads and nothing
    writes is read where it is wanted (a GPU would rather wait for it early)."""
    planner = _Planner(function, memory, accumulates)
    plan = Plan(planner.region(function.body), planner.cheap)
    _keep(plan, plan.region, {})
    sinker = Sinker(plan.cheap, plan.kept, lambda op: delays_loads and not memory.is_written(op.pointer))
    for loops in _loops(plan.region, sinker):
        sinker.sink(loops)
    return plan


def _loops(region: Region, sinker: Sinker) -> Iterator[list[Loop]]:
    """The lane loops of each block, in order; on the way, all that reads a value is shown to `sinker`."""
    here: list[Loop] = []
    inner: list[list[Loop]] = []
    for part in region.parts:
        if isinstance(part, Branch):
            sinker.note(None, part.item)
            for deeper in part.regions:
                inner += _loops(deeper, sinker)
            continue
        for step in part:
            match step:
                case Loop():
                    here.append(step)
                    for item in (*step.items, *step.folded):
                        sinker.note(step, item)
                case FoldStep() if not step.accumulated:
                    sinker.note(None, step.item)
                case _:
                    pass
    sinker.read_at_end(end_values(region.end))
    return iter([*inner, here])


class _Planner:
    def __init__(self, function: tir.Function, memory: Memory, accumulates: Accumulates) -> None:
        self.memory = memory
        self.accumulates = accumulates
        self.cheap = Cheap()
        self.reads = _reads(function.body)
        self.statements = 0

    def region(self, block: tir.Block) -> Region:
        parts: list[list[Step] | Branch] = []
        segment: list[Item] = []
        accesses: list[lir.Op] = []
        statement: Statement | None = None
        is_bare = False
        for op in lir.ops_of(block):
            match op:
                case tir.Note():
                    if statement is not None and is_bare:
                        segment.append(Item(statement.note, None))
                    self.statements += 1
                    statement, is_bare = Statement(self.statements, op), True
                    continue
                case tir.If() | tir.For() | tir.While():
                    self._close(segment, parts)
                    accesses.clear()
                    regions = tuple(self.region(inner) for inner in blocks_of(op))
                    parts.append(Branch(Item(op, statement), regions))
                case tir.Print() | tir.Assert():
                    self._close(segment, parts)
                    accesses.clear()
                    parts.append([Inline([Item(op, statement)])])
                case _:
                    self.cheap.visit(op)
                    if is_access(op) and self.memory.is_written(op.pointer):
                        full = len(accesses) == MOST_ACCESSES
                        if full or any(self.memory.meets(earlier, op) for earlier in accesses):
                            self._close(segment, parts)
                            accesses.clear()
                        accesses.append(op)
                    segment.append(Item(op, statement))
            is_bare = False
        self._close(segment, parts)
        return Region(parts, block.end, statement if is_bare else None)

    def _close(self, segment: list[Item], parts: list[list[Step] | Branch]) -> None:
        if segment:
            parts.append(Segment(tuple(segment), self.reads, self.memory, self.accumulates).steps())
            segment.clear()


def _reads(block: tir.Block) -> Counter[int]:
    """How often each value is read in a function."""
    reads: Counter[int] = Counter(value.id for value in end_values(block.end))
    for op in cast("Iterator[lir.Op]", all_ops(block)):
        reads.update(value.id for value in operands_of(op))
        for inner in blocks_of(op):
            reads.update(value.id for value in end_values(inner.end))
    return reads


def _keep(plan: Plan, region: Region, home: dict[int, Loop]) -> None:
    """Adds to `plan.kept` what is read outside the loop that works it out. `home` is where each tile is worked out."""

    def keep(value: Value, reader: Loop | None) -> None:
        if held(value) > 1 and (reader is None or (home.get(value.id) is not reader and value not in plan.cheap)):
            plan.kept.add(value.id)

    for part in region.parts:
        if isinstance(part, Branch):
            for value in operands_of(part.item.op):
                keep(value, None)
            for inner in part.regions:
                _keep(plan, inner, home)
            continue
        for step in part:
            match step:
                case Loop():
                    for item in step.items:
                        if (result := result_of(item.op)) is not None:
                            home[result.id] = step
                    for item in (*step.items, *step.folded):
                        for value in operands_of(item.op):
                            keep(value, step)
                case FoldStep() if not step.accumulated:
                    for value in operands_of(step.item.op):
                        keep(value, None)
                case _:
                    pass
    for value in end_values(region.end):
        keep(value, None)
