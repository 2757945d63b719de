"""Which values of a function are alive at the same time, and so cannot share a variable.

A walk from the end to the start of the structured program. What a loop reads from outside is alive throughout it. A
lane of a vec that a loop reads and then replaces, at the same lane, may be replaced in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, end_values, operands_of, result_of
from transpile.lowering.facts import Facts, Use
from transpile.lowering.inline import Plan

Live = frozenset[int]


@dataclass(frozen=True, slots=True)
class _Context:
    """What is alive after a block's yield, and around the innermost loop: at its end, and at the start of a turn."""

    after_yield: Live
    after_break: Live = frozenset()
    next_turn: Live = frozenset()


def interferences(plan: Plan, body: tir.Block, interesting: Iterable[int]) -> dict[int, set[int]]:
    """For each interesting value the interesting values that it cannot share a variable with."""
    walk = _Walk(plan, frozenset(interesting))
    walk.block(body, _Context(frozenset()))
    return walk.edges


class _Walk:
    def __init__(self, plan: Plan, interesting: Live) -> None:
        self.plan = plan
        self.facts: Facts = plan.facts
        self.interesting = interesting
        self.edges: dict[int, set[int]] = {number: set() for number in interesting}
        self._reads: dict[int, Live] = {}

    def _leaves(self, values: Iterable[Value]) -> Live:
        return frozenset(leaf.id for value in values for leaf in self.plan.leaves(value))

    def _define(self, value: Value, live: Live) -> None:
        """`value` gets its variable while `live` are alive."""
        if value.id not in self.interesting:
            return
        others = (live & self.interesting) - {value.id}
        self.edges[value.id] |= others
        for other in others:
            self.edges[other].add(value.id)

    def block(self, block: tir.Block, context: _Context) -> Live:
        """What is alive before a block."""
        end = block.end
        match end:
            case tir.Yield() | tir.Condition():
                live = context.after_yield | self._leaves(end_values(end))
            case tir.Break():
                live = context.after_break | self._leaves(end.values)
            case tir.Continue():
                live = context.next_turn | self._leaves(end.values)
            case tir.Return():
                live = self._leaves(end_values(end))
        for op in reversed(lir.ops_of(block)):
            live = self._op(op, live, context)
        return live

    def _op(self, op: lir.Op, live: Live, context: _Context) -> Live:
        match op:
            case tir.If() if not self.plan.is_choice(op):
                return self._if(op, live, context)
            case tir.For() | tir.While():
                return self._loop(op, live)
            case lir.LaneLoop():
                return self._lane_loop(op, live)
            case _:
                pass
        result = op.results[0] if isinstance(op, tir.If) else result_of(op)
        if result is None:
            return live | self._leaves(operands_of(op))
        form = self.plan.form(result)
        if form in ("free", "tree"):
            return live
        if form == "variable":
            live = live - {result.id}
            self._define(result, live)
        return live | self._leaves(self.plan.reads(op))

    def _results(self, results: tuple[Value, ...], live: Live) -> Live:
        """Defines all results at once; what is alive before that."""
        for result in results:
            self._define(result, live)
        return live - {result.id for result in results}

    def _if(self, op: tir.If, live: Live, context: _Context) -> Live:
        after = self._results(op.results, live)
        inner = _Context(after, context.after_break, context.next_turn)
        return self.block(op.then, inner) | self.block(op.orelse, inner) | self._leaves((op.cond,))

    def _loop(self, op: tir.For | tir.While, live: Live) -> Live:
        after = self._results(op.results, live)
        carried = frozenset(value.id for value in op.carried)
        head = after | carried | self._read_inside(op)
        if isinstance(op, tir.For):
            head |= self._leaves((op.stop, op.step))
        for value in op.carried:
            self._define(value, head)
        turn = head - carried
        inside = self.block(op.body, _Context(turn, after, turn))
        before = turn | self._leaves(op.inits)
        if isinstance(op, tir.While):
            self.block(op.test, _Context(inside | after | carried))
            return before
        return before | self._leaves((op.start,))

    def _lane_loop(self, op: lir.LaneLoop, live: Live) -> Live:
        folds = tuple(fold.result for fold in op.folds)
        after = self._results((*op.results, *folds), live)
        read = self._read_inside(op)
        for result in folds:
            self._define(result, read)
        for result, value in zip(op.results, end_values(op.body.end), strict=True):
            written = self.facts.positions[id(op.body.end)]
            if self.plan.form(value) == "lane" and self.plan.lanes[value.id][0] == result:
                written = self.facts.definitions[value.id].position
            in_place = {number for number in read - after if self._is_read_before(op, number, written)}
            self._define(result, read - in_place)
        sources = self._leaves(fold.source for fold in op.folds)
        self.block(op.body, _Context(after | read | sources))
        return after | read

    def _read_inside(self, op: lir.Op) -> Live:
        """The variables from outside that the blocks of `op` read."""
        known = self._reads.get(id(op))
        if known is None:
            own = self.facts.inside[id(op)]
            if isinstance(op, lir.LaneLoop):
                own |= {result.id for result in op.results}
            found: set[int] = set()
            for block in blocks_of(op):
                for inner in lir.ops_of(block):
                    result = result_of(inner)
                    if result is None or self.plan.form(result) in ("variable", "lane"):
                        found |= self._leaves(operands_of(inner))
                    if blocks_of(inner):
                        found |= self._read_inside(inner)
                found |= self._leaves(end_values(block.end))
            if isinstance(op, lir.LaneLoop):
                found |= self._leaves(fold.source for fold in op.folds)
            known = self._reads[id(op)] = frozenset(found - own)
        return known

    def _is_read_before(self, op: lir.LaneLoop, number: int, written: int) -> bool:
        """Does the loop read this vec only at its own lane, and in no turn after position `written`?"""
        inside = self.facts.inside[id(op)]
        for use in self.facts.uses.get(number, ()):
            get = use.user
            if not isinstance(get, lir.LaneGet) or get.result.id not in inside:
                continue
            if get.lane != op.counter:
                return False
            if any(self._evaluation(reader.user, reader.position) > written for reader in self._readers(get)):
                return False
        return True

    def _readers(self, get: lir.LaneGet) -> list[Use]:
        return list(self.facts.uses.get(get.result.id, ()))

    def _evaluation(self, user: lir.Op | tir.Terminator, position: int) -> int:
        if isinstance(user, tir.Yield | tir.Break | tir.Continue | tir.Return | tir.Condition):
            return position
        result = result_of(user)
        if result is not None and result.id in self.plan.evaluated:
            return self.plan.evaluated[result.id][0]
        return position
