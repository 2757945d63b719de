"""Whether all threads that must meet at a barrier or a shuffle get there (language.md, Threads). Works on TIR.

Every value and every place in the flow has a level: the same in all threads of a block, the same in each group of 32,
or different from thread to thread. Levels only rise, so walking the function until none does is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from transpile.diagnostics import flow as faults
from transpile.diagnostics.core import Diagnostic, Sink
from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.source import NOWHERE, Span
from transpile.typing.types import Pointer

GROUP_SIZE: Final = 32
GROUP_SHIFT: Final = 5


class Level(IntEnum):
    """Ordered: the higher, the less is shared. `GROUP` relies on rows of whole groups: see `needs_group_rows`."""

    UNIFORM = 0
    GROUP = 1
    DIVERGENT = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A level, where it comes from, and, of a flow, where threads part."""

    level: Level
    source: Span = NOWHERE
    parting: Span = NOWHERE


UNIFORM: Final = Mark(Level.UNIFORM)


def highest(*marks: Mark) -> Mark:
    """The mark of the highest level, the first of equals."""
    found = UNIFORM
    for mark in marks:
        if mark.level > found.level:
            found = mark
    return found


def check_uniformity(function: tir.Function, sink: Sink) -> tir.Function:
    """`function` with what its launches must heed noted; barriers and shuffles in divergent flow are reported."""
    if function.kind != "thread":
        return function
    walk = _Walk()
    changed = True
    while changed:
        walk.changed = False
        walk.start()
        walk.block(function.body, UNIFORM)
        changed = walk.changed
    for diagnostic in walk.found:
        sink.report(diagnostic)
    return replace(function, uses_shuffles=walk.shuffles, needs_group_rows=walk.group_rows)


@dataclass
class _Walk:
    """`marks`: of values by id. `loops`: of the flow of a loop's turns, by id() of the op. `local`: of what the arrays
    of a thread hold. `lost`: of the flow here, since some threads have left this turn or the function; `gone`: since
    some have left the function."""

    marks: dict[int, Mark] = field(default_factory=dict)
    loops: dict[int, Mark] = field(default_factory=dict)
    definitions: dict[int, tir.Op] = field(default_factory=dict)
    local: Mark = UNIFORM
    changed: bool = False
    lost: Mark = UNIFORM
    gone: Mark = UNIFORM
    around: list[tir.For | tir.While] = field(default_factory=list)
    ends: list[tuple[tir.Terminator, Mark]] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    shuffles: bool = False
    group_rows: bool = False

    def start(self) -> None:
        self.lost = self.gone = UNIFORM
        self.found = []
        self.group_rows = False

    def of(self, value: Value) -> Mark:
        return self.marks.get(value.id, UNIFORM)

    def raise_to(self, value: Value, mark: Mark) -> None:
        if mark.level > self.of(value).level:
            self.marks[value.id] = mark
            self.changed = True

    # ------------------------------------------------------------ flow

    def block(self, block: tir.Block, flow: Mark) -> Mark:
        """Walks a block that runs under `flow`; the flow at its end."""
        for op in block.ops:
            here = highest(flow, self.lost)
            match op:
                case tir.If():
                    self.branch(op, here)
                case tir.For() | tir.While():
                    self.loop(op, here)
                case _:
                    self.simple(op, here)
        here = highest(flow, self.lost)
        match block.end:
            case tir.Return():
                self.gone = highest(self.gone, here)
                for op in self.around:
                    self.raise_loop(op, here)
            case tir.Break():
                self.raise_loop(self.around[-1], here)
                self.ends.append((block.end, here))
            case tir.Continue():
                self.ends.append((block.end, here))
            case _:
                pass
        return here

    def branch(self, op: tir.If, flow: Mark) -> None:
        """Behind it run the threads of the arms that fall out; of another arm none, wherever in it they left."""
        test = self.of(op.cond)
        inner = highest(flow, replace(test, parting=op.span))
        before, after = self.lost, self.lost
        falling: list[tir.Yield] = []
        for block in (op.then, op.orelse):
            self.lost = before
            self.block(block, inner)
            if isinstance(block.end, tir.Yield):
                falling.append(block.end)
                after = highest(after, self.lost)
            else:
                after = highest(after, inner)
        self.lost = after
        for place, result in enumerate(op.results):
            values = [self.of(end.values[place]) for end in falling]
            self.raise_to(result, highest(*values, test if len(falling) > 1 else UNIFORM))

    def loop(self, op: tir.For | tir.While, flow: Mark) -> None:
        """Behind it run all threads that came to it, but for those that returned inside."""
        lost, gone, ends = self.lost, self.gone, self.ends
        self.lost, self.gone, self.ends = UNIFORM, UNIFORM, []
        for carried, init in zip(op.carried, op.inits, strict=True):
            self.raise_to(carried, self.of(init))
        if isinstance(op, tir.For):
            bounds = highest(self.of(op.start), self.of(op.stop), self.of(op.step))
            self.raise_to(op.index, highest(self.of(op.start), self.of(op.step)))
            self.raise_loop(op, replace(bounds, parting=op.span))
        self.around.append(op)
        inner = highest(flow, self.loops.get(id(op), UNIFORM))
        if isinstance(op, tir.While):
            self.block(op.test, inner)
            if isinstance(op.test.end, tir.Condition):
                self.raise_loop(op, replace(self.of(op.test.end.value), parting=op.span))
            inner = highest(flow, self.loops.get(id(op), UNIFORM))
        at_end = self.block(op.body, inner)
        self.around.pop()
        self.ends.append((op.body.end, at_end))
        self._carry(op)
        self.lost, self.gone, self.ends = highest(lost, self.gone), highest(gone, self.gone), ends

    def _carry(self, op: tir.For | tir.While) -> None:
        """What is carried differs where its values do, or where threads come to the next turn by different ways."""
        for end, here in self.ends:
            if isinstance(end, tir.Yield | tir.Break | tir.Continue):
                for value, carried in zip(end.values, op.carried, strict=True):
                    self.raise_to(carried, highest(self.of(value), here))
        left = self.loops.get(id(op), UNIFORM)
        for carried, result in zip(op.carried, op.results, strict=True):
            self.raise_to(result, highest(self.of(carried), left))

    def raise_loop(self, op: tir.For | tir.While, mark: Mark) -> None:
        if mark.level > self.loops.get(id(op), UNIFORM).level:
            self.loops[id(op)] = mark
            self.changed = True

    # ------------------------------------------------------------ values

    def simple(self, op: tir.Op, here: Mark) -> None:
        result = result_of(op)
        if result is not None:
            self.definitions[result.id] = op
        match op:
            case tir.Index(kind="thread_id"):
                self.raise_to(op.result, Mark(Level.DIVERGENT, op.span))
            case tir.Shuffle():
                self.shuffles = True
                self.meet(op, here)
                self.raise_to(op.result, Mark(Level.DIVERGENT, op.span))
            case tir.Atomic():
                if op.result is not None:
                    self.raise_to(op.result, Mark(Level.DIVERGENT, op.span))
            case tir.Barrier():
                self.meet(op, here)
            case tir.Apply():
                self.raise_to(op.result, self.applied(op))
            case tir.Load():
                held = self.local if _is_local(op.pointer) else UNIFORM
                where = highest(*(self.of(value) for value in operands_of(op)))
                self.raise_to(op.result, highest(where, held))
            case tir.Store():
                if _is_local(op.pointer):
                    stored = highest(here, *(self.of(value) for value in operands_of(op)))
                    if stored.level > self.local.level:
                        self.local, self.changed = stored, True
            case _:
                if result is not None:
                    self.raise_to(result, highest(*(self.of(value) for value in operands_of(op))))

    def meet(self, op: tir.Barrier | tir.Shuffle, here: Mark) -> None:
        """Threads must get to `op` together: all of the block, or all of the group."""
        is_block = isinstance(op, tir.Barrier) and op.scope == "block"
        allowed = Level.UNIFORM if is_block else Level.GROUP
        if here.level <= allowed:
            self.group_rows |= here.level is Level.GROUP
            return
        if is_block:
            self.found.append(faults.divergent_barrier(op.span, here.parting, here.source))
        else:
            what = "syncwarp" if isinstance(op, tir.Barrier) else "a shuffle"
            self.found.append(faults.divergent_group(op.span, what, here.parting, here.source))

    def applied(self, op: tir.Apply) -> Mark:
        """Two forms of the thread's x are uniform in a group: its quotient by 32, and its side of a multiple of 32."""
        mark = highest(*(self.of(value) for value in op.operands))
        if len(op.operands) == 2 and mark.level is Level.DIVERGENT and self.is_group_form(op):
            return Mark(Level.GROUP, mark.source)
        return mark

    def is_group_form(self, op: tir.Apply) -> bool:
        left, right = op.operands
        if self.is_thread(left):
            number = self.constant(right)
            if op.op == "floordiv":
                return number is not None and number > 0 and number % GROUP_SIZE == 0
            if op.op == "shr":
                return number is not None and number >= GROUP_SHIFT
            return self.is_boundary(op.op, right)
        mirrored = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}.get(op.op)
        return mirrored is not None and self.is_thread(right) and self.is_boundary(mirrored, left)

    def is_boundary(self, comparison: str, bound: Value) -> bool:
        """Whether `thread_id() comparison bound` changes only between groups."""
        if self.of(bound).level is Level.DIVERGENT:
            return False
        if comparison in ("lt", "ge"):
            return self.is_multiple(bound)
        number = self.constant(bound)
        return comparison in ("le", "gt") and number is not None and (number + 1) % GROUP_SIZE == 0

    def is_thread(self, value: Value) -> bool:
        op = self.definitions.get(value.id)
        return isinstance(op, tir.Index) and op.kind == "thread_id" and op.axis == 0

    def is_multiple(self, value: Value) -> bool:
        """Whether a value is surely a multiple of 32."""
        number = self.constant(value)
        if number is not None:
            return number % GROUP_SIZE == 0
        op = self.definitions.get(value.id)
        if not isinstance(op, tir.Apply) or len(op.operands) != 2:
            return False
        if op.op in ("add", "sub"):
            return all(self.is_multiple(operand) for operand in op.operands)
        if op.op == "shl":
            count = self.constant(op.operands[1])
            return self.is_multiple(op.operands[0]) or (count is not None and count >= GROUP_SHIFT)
        return op.op == "mul" and any(self.is_multiple(operand) for operand in op.operands)

    def constant(self, value: Value) -> int | None:
        op = self.definitions.get(value.id)
        return int(op.value) if isinstance(op, tir.Const) and isinstance(op.value, int) else None


def _is_local(pointer: Value) -> bool:
    return isinstance(pointer.type, Pointer) and pointer.type.space == "local"
