"""Removes what nothing needs from TIR or lowered LIR: pure ops, loads, calls, allocations, carried values and branches.

Kept are stores, barriers, launches, what prints and asserts, every `while`, what decides whether these run, and what
they read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, chosen, end_values, operands_of, results_of


def prune_function(function: tir.Function) -> tir.Function:
    """The same function without dead code."""
    marker = _Marker()
    marker.scan(function.body, None, None)
    marker.run()
    return replace(function, body=_Pruner(marker).block(function.body, None, None))


@dataclass
class _Marker:
    """Finds the values and the control ops that are needed."""

    needed: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)  # id() of control ops
    _definition: dict[int, lir.Op] = field(default_factory=dict)
    _parent: dict[int, lir.Op | None] = field(default_factory=dict)  # by id() of an op: the control op around it
    _ends: dict[int, list[tuple[Value, ...]]] = field(
        default_factory=dict
    )  # by id(): what reaches a control op's results
    _queue: list[Value] = field(default_factory=list)
    _roots: list[tuple[lir.Op | None, tuple[Value, ...]]] = field(default_factory=list)

    def scan(self, block: tir.Block, parent: lir.Op | None, loop: lir.Op | None) -> None:
        for op in lir.ops_of(block):
            self._parent[id(op)] = parent
            for value in results_of(op):
                self._definition[value.id] = op
            if isinstance(op, tir.For | tir.While):
                for value in op.carried:
                    self._definition[value.id] = op
            inner = op if isinstance(op, tir.For | tir.While) else loop
            for body in blocks_of(op):
                self.scan(body, op, inner)
            if is_kept(op):
                self._roots.append((parent, operands_of(op)))
            elif isinstance(op, tir.While):
                self._roots.append((op, ()))
        self._scan_end(block.end, parent, loop)

    def _scan_end(self, end: tir.Terminator, parent: lir.Op | None, loop: lir.Op | None) -> None:
        match end:
            case tir.Yield():
                if parent is not None:
                    self._ends.setdefault(id(parent), []).append(end.values)
            case tir.Break() | tir.Continue():
                self._ends.setdefault(id(loop), []).append(end.values)
                self._roots.append((parent, ()))
            case tir.Return() | tir.Condition():
                self._roots.append((parent, end_values(end)))

    def run(self) -> None:
        for parent, values in self._roots:
            self._keep(parent)
            self._queue.extend(values)
        while self._queue:
            value = self._queue.pop()
            if value.id in self.needed:
                continue
            self.needed.add(value.id)
            op = self._definition.get(value.id)
            if op is not None:
                self._need(op, value)

    def _keep(self, op: lir.Op | None) -> None:
        """A control op and all around it run."""
        while op is not None and id(op) not in self.kept:
            self.kept.add(id(op))
            match op:
                case tir.If():
                    self._queue.append(op.cond)
                case tir.For():
                    self._queue.extend((op.start, op.stop, op.step))
                case _:
                    pass
            op = self._parent[id(op)]

    def _need(self, op: lir.Op, value: Value) -> None:
        match op:
            case tir.If():
                self._keep(op)
                place = op.results.index(value)
                self._queue.extend(values[place] for values in self._ends.get(id(op), ()))
            case tir.For() | tir.While():
                self._keep(op)
                place = op.carried.index(value) if value in op.carried else op.results.index(value)
                self._queue.extend((op.inits[place], op.carried[place], op.results[place]))
                self._queue.extend(values[place] for values in self._ends.get(id(op), ()))
            case lir.LaneLoop():
                self._keep(op)
                if value in op.results:
                    self._queue.append(self._ends[id(op)][0][op.results.index(value)])
                self._queue.extend(fold.source for fold in op.folds if fold.result == value)
            case _:
                self._queue.extend(operands_of(op))


@dataclass(frozen=True, slots=True)
class _Pruner:
    marker: _Marker

    def _is_needed(self, values: tuple[Value, ...]) -> list[bool]:
        return [value.id in self.marker.needed for value in values]

    def block(self, block: tir.Block, results: list[bool] | None, carried: list[bool] | None) -> tir.Block:
        """`results`: which of what this block yields is needed; `carried`: which of what the innermost loop carries."""
        ops = [kept for op in lir.ops_of(block) if (kept := self._op(op, carried)) is not None]
        end = block.end
        match end:
            case tir.Yield() if results is not None:
                end = tir.Yield(chosen(end.values, results))
            case tir.Break() | tir.Continue() if carried is not None:
                end = replace(end, values=chosen(end.values, carried))
            case _:
                end = replace(end)  # never one object in two places: later passes number them
        return lir.block(ops, end)

    def _op(self, op: lir.Op, loop: list[bool] | None) -> lir.Op | None:
        match op:
            case tir.Note():
                return op
            case tir.Atomic():
                return op if any(self._is_needed(results_of(op))) else replace(op, result=None)
            case tir.If() | tir.For() | tir.While() | lir.LaneLoop() if id(op) not in self.marker.kept:
                return None
            case tir.If():
                wanted = self._is_needed(op.results)
                then, orelse = self.block(op.then, wanted, loop), self.block(op.orelse, wanted, loop)
                return replace(op, then=then, orelse=orelse, results=chosen(op.results, wanted))
            case tir.For():
                wanted = self._is_needed(op.carried)
                inits, carried, results = (chosen(values, wanted) for values in (op.inits, op.carried, op.results))
                body = self.block(op.body, wanted, wanted)
                return replace(op, inits=inits, carried=carried, results=results, body=body)
            case tir.While():
                wanted = self._is_needed(op.carried)
                inits, carried, results = (chosen(values, wanted) for values in (op.inits, op.carried, op.results))
                test, body = self.block(op.test, None, None), self.block(op.body, wanted, wanted)
                return replace(op, inits=inits, carried=carried, results=results, test=test, body=body)
            case lir.LaneLoop():
                wanted = self._is_needed(op.results)
                folds = tuple(fold for fold in op.folds if fold.result.id in self.marker.needed)
                body = self.block(op.body, wanted, None)
                return replace(op, results=chosen(op.results, wanted), folds=folds, body=body)
            case _:
                return op if is_kept(op) or any(self._is_needed(results_of(op))) else None


def is_kept(op: lir.Op) -> bool:
    """Whether an op without blocks does something, whoever reads its result."""
    if isinstance(op, tir.Call):
        return op.reports
    return isinstance(op, tir.Store | lir.StoreGroups | tir.Atomic | tir.Barrier | tir.Launch | tir.Print | tir.Assert)
