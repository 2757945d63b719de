"""Places the barriers and stages of a lowered tile kernel (GPU), from the effects of its ops alone.

It walks the program with the accesses that are *pending*: made since the last block barrier on some path. An access
that may collide with a pending one of another thread gets a barrier before it. A fold with a stage is a barrier
itself, and needs one before it only where its stage may still be read. All of this stands in uniform flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from transpile.dtypes import DType
from transpile.ir import lir, tir
from transpile.ir.lir import Effect
from transpile.ir.rename import Ids
from transpile.ir.tir import Value
from transpile.lowering.effects import Memory
from transpile.lowering.layout import WARP
from transpile.ops.scan import BLOCK
from transpile.typing.types import Pointer

# An effect by its number, and the loops that have gone to a later turn since.
Pending: TypeAlias = "frozenset[tuple[int, frozenset[int]]]"
NOTHING: Final[Pending] = frozenset()
MOST_PENDING: Final = 128  # beyond these a barrier costs less than the comparisons
STAGES: Final = 2  # of one dtype: two in turn need no barrier between folds
SPARE: Final = 1024  # elements of a stage that may have a second: of more, shared memory is worth a barrier


def place_barriers(kernel: lir.Kernel, memory: Memory, effects: Mapping[lir.Op, Effect]) -> lir.Kernel:
    """`effects` are those of the accesses that stand outside lane loops."""
    placer = _Placer(kernel, memory, effects)
    block, _ = placer.block(kernel.function.body, NOTHING)
    body = lir.block([*placer.allocations(), *lir.ops_of(block)], block.end)
    return replace(kernel, function=replace(kernel.function, body=body))


@dataclass(slots=True)
class _Stage:
    """A shared buffer that folds meet in; `read` is the number of the effect of reading it."""

    buffer: Value
    count: int
    read: int


@dataclass(slots=True)
class _Frame:
    """What is pending where the innermost loop is left, or goes to its next turn early."""

    breaks: list[Pending] = field(default_factory=list)
    continues: list[Pending] = field(default_factory=list)


@dataclass(slots=True)
class _Turn:
    """One look at a loop: its new blocks, what is pending after its last block (None: not reached) and where it is
    left."""

    blocks: tuple[tir.Block, ...]
    after: Pending | None
    left: Pending
    frame: _Frame = field(default_factory=_Frame)


class _Placer:
    def __init__(self, kernel: lir.Kernel, memory: Memory, effects: Mapping[lir.Op, Effect]) -> None:
        self.threads = kernel.threads
        self.memory = memory
        self.effects = effects
        self.ids = Ids.after(kernel.function)
        self.known: list[Effect] = []
        self.numbers: dict[Effect, int] = {}
        self.stages: dict[str, list[_Stage]] = {}
        self.stage_of: dict[int, _Stage] = {}
        self.frames: list[_Frame] = []
        self.loops = 0

    def allocations(self) -> list[lir.Op]:
        """The shared buffers, for the body's beginning."""
        stages = (stage for several in self.stages.values() for stage in several)
        return [tir.Alloc(stage.buffer, "shared", stage.count) for stage in stages]

    def block(self, block: tir.Block, pending: Pending) -> tuple[tir.Block, Pending | None]:
        """The block with its barriers, and what is pending where it falls out; None where it does not."""
        out: list[lir.Op] = []
        for op in lir.ops_of(block):
            pending = self._op(op, pending, out)
        after: Pending | None = pending
        match block.end:
            case tir.Break():
                self.frames[-1].breaks.append(pending)
                after = None
            case tir.Continue():
                self.frames[-1].continues.append(pending)
                after = None
            case tir.Return():
                after = None
            case _:
                pass
        return lir.block(out, block.end), after

    def _op(self, op: lir.Op, pending: Pending, out: list[lir.Op]) -> Pending:
        match op:
            case lir.LaneLoop():
                return self._access(op, op.effects, pending, out)
            case tir.Load() | tir.Store() | tir.Atomic() | lir.LoadGroups() | lir.StoreGroups():
                return self._access(op, self._own(op), pending, out)
            case tir.If() if _is_guarded_store(op):
                return self._access(op, self._own(op.then.ops[0]), pending, out)  # perhaps not in uniform flow
            case tir.If():
                then, left = self.block(op.then, pending)
                orelse, right = self.block(op.orelse, pending)
                out.append(replace(op, then=then, orelse=orelse))
                return _union((left, right))
            case tir.For():
                return self._for(op, pending, out)
            case tir.While():
                return self._while(op, pending, out)
            case lir.Fold() if min(op.lanes, self.threads) > WARP or op.group > 1:
                stage, pending = self._meet(op.result, min(op.lanes, self.threads * op.group), pending, out)
                out.append(replace(op, stage=stage))
                return pending
            case lir.Scan() if op.lanes > BLOCK:
                stage, pending = self._meet(op.result, _scanned(op.lanes // BLOCK), pending, out)
                out.append(replace(op, stage=stage))
                return pending
            case lir.ShareFirst() if self.threads > WARP:
                stage, pending = self._meet(op.result, op.lanes, pending, out)
                out.append(replace(op, stage=stage))
                return pending
            case _:
                out.append(op)
                return pending

    def _own(self, op: lir.Op) -> tuple[Effect, ...]:
        effect = self.effects.get(op)
        return () if effect is None else (effect,)

    def _access(self, op: lir.Op, effects: Iterable[Effect], pending: Pending, out: list[lir.Op]) -> Pending:
        changing = [effect for effect in effects if effect.pointer is None or self.memory.is_written(effect.pointer)]
        before = [(self.known[number], crossed) for number, crossed in pending]
        full = len(pending) > MOST_PENDING
        if full or any(self.memory.collide(first, effect, crossed) for effect in changing for first, crossed in before):
            out.append(tir.Barrier("block"))
            pending = NOTHING
        out.append(op)
        return pending | {(self._number(effect), frozenset()) for effect in changing}

    def _number(self, effect: Effect) -> int:
        known = self.numbers.get(effect)
        if known is None:
            known = self.numbers[effect] = len(self.known)
            self.known.append(effect)
        return known

    def _meet(self, result: Value, count: int, pending: Pending, out: list[lir.Op]) -> tuple[Value, Pending]:
        """A stage for an exchange, which ends with its being read. The exchange itself is a barrier."""
        stage = self._stage(result, count, pending)
        stage.count = max(stage.count, count)
        if any(number == stage.read for number, _ in pending):
            out.append(tir.Barrier("block"))
        return stage.buffer, frozenset({(stage.read, frozenset[int]())})

    def _stage(self, result: Value, count: int, pending: Pending) -> _Stage:
        chosen = self.stage_of.get(result.id)
        if chosen is not None:
            return chosen
        dtype = result.type.dtype
        several = self.stages.setdefault(dtype.name, [])
        busy = {number for number, _ in pending}
        free = [stage for stage in several if stage.read not in busy]
        if free:
            chosen = free[0]
        elif not several or (len(several) < STAGES and count <= SPARE):
            chosen = self._new_stage(dtype, count)
            several.append(chosen)
        else:
            chosen = several[0]
        self.stage_of[result.id] = chosen
        return chosen

    def _new_stage(self, dtype: DType, count: int) -> _Stage:
        buffer = self.ids.fresh(Pointer(dtype, False, "shared"), f"stage_{dtype.name}")
        read = self._number(Effect(space="shared", root=buffer, kind="read", bytes=dtype.bytes))
        return _Stage(buffer, count, read)

    def _for(self, op: tir.For, pending: Pending, out: list[lir.Op]) -> Pending:
        def turn(entry: Pending) -> _Turn:
            body, after = self.block(op.body, entry)
            return _Turn((body,), after, entry)

        last = self._settle(pending, turn)
        out.append(replace(op, body=last.blocks[0]))
        return _union((last.left, last.after, *last.frame.breaks, *last.frame.continues))

    def _while(self, op: tir.While, pending: Pending, out: list[lir.Op]) -> Pending:
        def turn(entry: Pending) -> _Turn:
            test, tested = self.block(op.test, entry)
            body, after = self.block(op.body, tested or NOTHING)
            return _Turn((test, body), after, tested or NOTHING)

        last = self._settle(pending, turn)
        out.append(replace(op, test=last.blocks[0], body=last.blocks[1]))
        return _union((last.left, *last.frame.breaks))

    def _settle(self, pending: Pending, turn: Callable[[Pending], _Turn]) -> _Turn:
        """Looks at a loop twice: what the first look leaves pending at its end comes round to its beginning. That
        is all that can: further barriers only take from it."""
        number = self.loops
        entry = pending
        for _ in range(2):
            self.loops = number + 1
            self.frames.append(_Frame())
            last = turn(entry)
            last.frame = self.frames.pop()
            entry = pending | _crossing(_union((last.after, *last.frame.continues)), number)
        return last


def _scanned(blocks: int) -> int:
    """How many elements a scan keeps in its stage: what the blocks come to, and the blocks of these, if they are more
    than a warp scans at once."""
    return blocks if blocks <= BLOCK else blocks + _scanned(blocks // BLOCK)


def _is_guarded_store(op: tir.If) -> bool:
    """Whether it is one store that some threads make, and nothing else."""
    falls_out = isinstance(op.then.end, tir.Yield) and isinstance(op.orelse.end, tir.Yield)
    return falls_out and len(op.then.ops) == 1 and isinstance(op.then.ops[0], tir.Store) and not op.orelse.ops


def _union(several: Iterable[Pending | None]) -> Pending:
    return NOTHING.union(*(pending for pending in several if pending is not None))


def _crossing(pending: Pending, loop: int) -> Pending:
    return frozenset((number, crossed | {loop}) for number, crossed in pending)
