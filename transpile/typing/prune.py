"""Removes what the checker built and nobody reads: merged and carried values of names that die, unused pure ops.

Loads stay, since the reference checks every access; so does every `while`, which may not end, and every call, which may
print.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, chosen, end_values, operands_of, results_of

Control = tir.If | tir.For | tir.While
_EXCHANGES = tir.Store | tir.Atomic | tir.Barrier | tir.Launch | tir.Load | tir.Shuffle
_ROOTS = _EXCHANGES | tir.While | tir.Print | tir.Assert | tir.Call


def prune_block(block: tir.Block) -> tir.Block:
    """A function's body without dead values."""
    marks = _Marks()
    marks.scan(block, (), None)
    marks.run()
    return _block(block, marks, None, None)


@dataclass
class _Marks:
    """`definitions`: by value id, the op. `ends`: by id() of a control op, the values that reach its slots."""

    needed: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    definitions: dict[int, tir.Op] = field(default_factory=dict)
    around: dict[int, tuple[Control, ...]] = field(default_factory=dict)
    ends: dict[int, list[tuple[Value, ...]]] = field(default_factory=dict)
    queue: list[Value] = field(default_factory=list)
    roots: list[tuple[tuple[Control, ...], tuple[Value, ...]]] = field(default_factory=list)

    def scan(self, block: tir.Block, around: tuple[Control, ...], loop: Control | None) -> None:
        for op in block.ops:
            for value in results_of(op):
                self.definitions[value.id] = op
            if isinstance(op, tir.If | tir.For | tir.While):
                self.around[id(op)] = around
                inner = loop if isinstance(op, tir.If) else op
                if not isinstance(op, tir.If):
                    self.definitions.update((value.id, op) for value in op.carried)
                for body in blocks_of(op):
                    self.scan(body, (*around, op), inner)
            if isinstance(op, _ROOTS):
                values = () if isinstance(op, tir.While) else operands_of(op)
                self.roots.append(((*around, op) if isinstance(op, tir.While) else around, values))
        self._scan_end(block.end, around, loop)

    def _scan_end(self, end: tir.Terminator, around: tuple[Control, ...], loop: Control | None) -> None:
        match end:
            case tir.Yield():
                if around:
                    self.ends.setdefault(id(around[-1]), []).append(end.values)
            case tir.Break() | tir.Continue():
                self.ends.setdefault(id(loop), []).append(end.values)
                self.roots.append((around, ()))
            case tir.Return() | tir.Condition():
                self.roots.append((around, end_values(end)))

    def run(self) -> None:
        for around, values in self.roots:
            self._keep(around)
            self.queue.extend(values)
        while self.queue:
            value = self.queue.pop()
            if value.id not in self.needed:
                self.needed.add(value.id)
                op = self.definitions.get(value.id)
                if op is not None:
                    self._need(op, value)

    def _keep(self, around: tuple[Control, ...]) -> None:
        """The control ops around something that stays, from the inside out."""
        for op in reversed(around):
            if id(op) in self.kept:
                return
            self.kept.add(id(op))
            if isinstance(op, tir.If):
                self.queue.append(op.cond)
            elif isinstance(op, tir.For):
                self.queue.extend((op.start, op.stop, op.step))

    def _need(self, op: tir.Op, value: Value) -> None:
        if not isinstance(op, tir.If | tir.For | tir.While):
            self.queue.extend(operands_of(op))
            return
        self._keep((*self.around[id(op)], op))
        if isinstance(op, tir.If):
            place = op.results.index(value)
        else:
            place = op.carried.index(value) if value in op.carried else op.results.index(value)
            self.queue.extend((op.inits[place], op.carried[place], op.results[place]))
        self.queue.extend(values[place] for values in self.ends.get(id(op), ()))


Wanted = list[bool] | None


def _block(block: tir.Block, marks: _Marks, results: Wanted, carried: Wanted) -> tir.Block:
    """`results`: which of what this block yields is needed; `carried`: which of what the innermost loop carries."""
    ops = [kept for op in block.ops if (kept := _op(op, marks, carried)) is not None]
    end = block.end
    if isinstance(end, tir.Yield) and results is not None:
        end = tir.Yield(chosen(end.values, results))
    elif isinstance(end, tir.Break | tir.Continue) and carried is not None:
        end = replace(end, values=chosen(end.values, carried))
    return tir.Block(tuple(ops), end)


def _op(op: tir.Op, marks: _Marks, loop: Wanted) -> tir.Op | None:
    match op:
        case tir.Note():
            return op
        case tir.If() | tir.For() | tir.While() if id(op) not in marks.kept:
            return None
        case tir.If():
            wanted = [value.id in marks.needed for value in op.results]
            then, orelse = (_block(block, marks, wanted, loop) for block in (op.then, op.orelse))
            return replace(op, then=then, orelse=orelse, results=chosen(op.results, wanted))
        case tir.For():
            wanted = [value.id in marks.needed for value in op.carried]
            inits, carried, results = (chosen(values, wanted) for values in (op.inits, op.carried, op.results))
            body = _block(op.body, marks, wanted, wanted)
            return replace(op, inits=inits, carried=carried, results=results, body=body)
        case tir.While():
            wanted = [value.id in marks.needed for value in op.carried]
            inits, carried, results = (chosen(values, wanted) for values in (op.inits, op.carried, op.results))
            test, body = _block(op.test, marks, None, None), _block(op.body, marks, wanted, wanted)
            return replace(op, inits=inits, carried=carried, results=results, test=test, body=body)
        case _:
            is_root = isinstance(op, _ROOTS)
            return op if is_root or any(value.id in marks.needed for value in results_of(op)) else None
