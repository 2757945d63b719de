"""Where each value of a function is defined and used: the program numbered from top to bottom, for the passes to KIR.

A position is a number; a control op has one before its blocks and `last` after them. A region is a block, with the
loops around it. Computed once, of TIR without tiles or of lowered LIR; never changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, end_values, operands_of, results_of
from transpile.lowering.prune import is_kept


@dataclass(frozen=True, slots=True)
class Region:
    """A block by number. `loops` are the positions of the loops around it, outer first; `parent` holds its control
    op."""

    number: int
    parent: Region | None
    loops: tuple[int, ...]

    def is_inside(self, other: Region) -> bool:
        region: Region | None = self
        while region is not None and region.number != other.number:
            region = region.parent
        return region is not None


@dataclass(frozen=True, slots=True)
class Definition:
    """`op` None: a parameter, or a value that its loop defines anew each turn (a counter or what is carried)."""

    value: Value
    op: lir.Op | None
    position: int
    region: Region


@dataclass(frozen=True, slots=True)
class Use:
    """`user` reads the value at `position`; `place` is which operand it is. A bound is read at each turn of its
    loop."""

    user: lir.Op | tir.Terminator
    place: int
    position: int
    region: Region
    is_bound: bool = False


@dataclass
class Facts:
    """Of one function. `effects` are the positions of what orders loads and exchanges: stores, atomics, barriers,
    exchanges, launches, what prints or asserts."""

    definitions: dict[int, Definition] = field(default_factory=dict)
    uses: dict[int, list[Use]] = field(default_factory=dict)
    effects: list[int] = field(default_factory=list)
    ops: list[tuple[int, Region, lir.Op]] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)  # by id() of ops and terminators
    last: dict[int, int] = field(default_factory=dict)  # by id() of control ops: the position after their blocks
    regions: dict[int, Region] = field(default_factory=dict)  # by id() of blocks
    inside: dict[int, frozenset[int]] = field(default_factory=dict)  # by id() of control ops: what they define inside

    def is_used_once(self, value: Value) -> bool:
        return len(self.uses.get(value.id, ())) == 1

    def has_effect(self, start: int, end: int) -> bool:
        """Does something that orders loads stand after `start` and before `end`?"""
        return bisect_right(self.effects, start) < bisect_left(self.effects, end)


def gather(function: tir.Function) -> Facts:
    """The facts of a function that is pruned already."""
    scan = _Scan()
    root = Region(0, None, ())
    for parameter in function.parameters:
        scan.define(parameter.value, None, root)
    scan.block(function.body, root)
    scan.facts.effects.sort()
    return scan.facts


class _Scan:
    def __init__(self) -> None:
        self.facts = Facts()
        self._position = 0
        self._regions = 0
        self._defined: list[int] = []

    def define(self, value: Value, op: lir.Op | None, region: Region) -> None:
        self.facts.definitions[value.id] = Definition(value, op, self._position, region)
        self._defined.append(value.id)

    def _use(self, value: Value, use: Use) -> None:
        self.facts.uses.setdefault(value.id, []).append(use)

    def _region(self, parent: Region, loop: int | None) -> Region:
        self._regions += 1
        return Region(self._regions, parent, parent.loops if loop is None else (*parent.loops, loop))

    def block(self, block: tir.Block, region: Region, folds: tuple[lir.LaneFold, ...] = ()) -> None:
        self.facts.regions[id(block)] = region
        for op in lir.ops_of(block):
            self._position += 1
            self._op(op, region)
        self._position += 1
        self.facts.positions[id(block.end)] = self._position
        for place, value in enumerate(end_values(block.end)):
            self._use(value, Use(block.end, place, self._position, region))
        for place, fold in enumerate(folds, len(end_values(block.end))):
            self._use(fold.source, Use(block.end, place, self._position, region))

    def _op(self, op: lir.Op, region: Region) -> None:
        position = self._position
        self.facts.ops.append((position, region, op))
        self.facts.positions[id(op)] = position
        for place, value in enumerate(operands_of(op)):
            is_bound = isinstance(op, tir.For) and place in (1, 2)
            self._use(value, Use(op, place, position, region, is_bound))
        if is_kept(op) or isinstance(op, tir.Shuffle | lir.Fold | lir.Scan | lir.ShareFirst):
            self.facts.effects.append(position)
        start = len(self._defined)
        self._blocks(op, region, position)
        if blocks_of(op):
            self._position += 1
            self.facts.last[id(op)] = self._position
            self.facts.inside[id(op)] = frozenset(self._defined[start:])
        for value in results_of(op):
            self.define(value, op, region)

    def _blocks(self, op: lir.Op, region: Region, position: int) -> None:
        match op:
            case tir.If():
                self.block(op.then, self._region(region, None))
                self.block(op.orelse, self._region(region, None))
            case tir.For():
                inner = self._region(region, position)
                for value in (op.index, *op.carried):
                    self.define(value, None, inner)
                self.block(op.body, inner)
            case tir.While():
                test = self._region(region, position)
                for value in op.carried:
                    self.define(value, None, test)
                self.block(op.test, test)
                self.block(op.body, self._region(test, None))
            case lir.LaneLoop():
                inner = self._region(region, position)
                self.define(op.counter, None, inner)
                self.block(op.body, inner, op.folds)
            case _:
                pass
