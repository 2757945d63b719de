"""One lane of one op: how an elementwise op on tiles becomes an op on scalars, and what a thread guards or shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import lir, tir
from transpile.ir.lir import Effect
from transpile.ir.rename import Ids, renamed
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of
from transpile.lowering.cheap import held
from transpile.lowering.effects import Access, Memory
from transpile.lowering.layout import layout_of
from transpile.lowering.steps import Item
from transpile.source import Span
from transpile.typing.types import Scalar, Tile, Type, Vec


def held_type(tile: Value) -> Type:
    """The type of what one thread holds of a tile."""
    count = held(tile)
    return Vec(tile.type.dtype, count) if count > 1 else Scalar(tile.type.dtype)


@dataclass(slots=True)
class Scope:
    """Where ops go and how values are read there; in a lane loop, its counter and count."""

    out: list[lir.Op]
    read: Callable[[Value], Value]
    counter: Value | None = None
    count: int = 1
    effects: list[Effect] = field(default_factory=list)


@dataclass(slots=True)
class Lanes:
    """What the lowering of one function shares. `now` is what stands for a value of the laid-out form in the block
    that is being built; `makers` what makes the tiles of lane loops; `effects` what accesses outside lane loops do."""

    ids: Ids
    memory: Memory
    threads: int
    now: dict[int, Value] = field(default_factory=dict)
    makers: dict[int, Item] = field(default_factory=dict)
    effects: dict[lir.Op, Effect] = field(default_factory=dict)
    _thread: Value | None = None

    @classmethod
    def of(cls, function: tir.Function, memory: Memory, threads: int) -> Lanes:
        return cls(Ids.after(function), memory, threads)

    def opening(self) -> list[lir.Op]:
        """What the body must begin with."""
        return [lir.Thread(self._thread)] if self._thread is not None else []

    def counter(self) -> Value:
        return self.ids.fresh(Scalar(dtypes.I64), "k")

    def thread(self) -> Value:
        if self._thread is None:
            self._thread = self.ids.fresh(Scalar(dtypes.I64))
        return self._thread

    def emit(self, op: lir.Op, scope: Scope, result: Value | None) -> Value | None:
        """Appends one lane of `op`, with `result` for its result. Gives the value that stands for it, which may be
        another."""
        match op:
            case tir.Arange():
                return self._index(op, scope, result)
            case tir.Broadcast() if not isinstance(op.operand.type, Tile):
                return scope.read(op.operand)
            case tir.Store():
                self._store(op, scope)
                return None
            case tir.Atomic():
                return self._atomic(op, scope, result)
            case tir.Apply() | tir.Cast() | tir.Call() | tir.Load() if result is not None:
                now = {value.id: scope.read(value) for value in operands_of(op)}
                made = replace(renamed(op, now), result=result)
                scope.out.append(made)
                if isinstance(op, tir.Load):
                    self._note_effect(op, made, scope)
                return result
        raise InternalError("not lowered lane by lane", op)

    def emit_scalar(self, op: lir.Op, original: lir.Op, out: list[lir.Op]) -> None:
        """Appends an op on scalars. One thread writes; what may change is read once, by it."""
        match op:
            case tir.Store() if self.threads > 1 and isinstance(original, tir.Store):
                self.effects[op] = self.memory.effect(original)
                self._guard(op, "eq", 0, out)
            case tir.Atomic() if self.threads > 1 and isinstance(original, tir.Atomic):
                self._atomic_by(op, self.memory.effect(original), "eq", 0, out)
            case tir.Load() if self.threads > 1 and isinstance(original, tir.Load):
                if self.memory.is_written(original.pointer):
                    first = self.ids.fresh(op.result.type, "", op.result.span)
                    load = replace(op, result=first)
                    self.effects[load] = self.memory.effect(original)
                    out += [load, lir.ShareFirst(op.result, first, None, op.span)]
                else:
                    out.append(op)
            case _:
                out.append(op)

    def _store(self, op: tir.Store, scope: Scope) -> None:
        now = {value.id: scope.read(value) for value in operands_of(op)}
        made = renamed(op, now)
        effect = self._note_effect(op, made, scope)
        if effect.replicas > 1 and effect.lanes is not None:
            self._guard(made, "lt", effect.lanes, scope.out)
        else:
            scope.out.append(made)

    def _atomic(self, op: tir.Atomic, scope: Scope, result: Value | None) -> Value | None:
        """Where several threads hold one lane the first of them makes the access and hands on what it found."""
        now = {value.id: scope.read(value) for value in operands_of(op)}
        made = replace(renamed(op, now), result=result)
        effect = self.memory.effect(op)
        if effect.replicas > 1 and effect.lanes is not None:
            self._atomic_by(made, effect, "lt", effect.lanes, scope.out)
        else:
            scope.out.append(made)
            self._note_effect(op, made, scope)
        return result

    def _atomic_by(self, op: tir.Atomic, effect: Effect, compare: str, bound: int, out: list[lir.Op]) -> None:
        """Only the threads of which `thread <compare> bound` holds make the access; all get what these found."""
        mask = self._is_thread(compare, bound, op.span, out)
        if op.mask is not None:
            both = self.ids.fresh(Scalar(dtypes.BOOL))
            out.append(tir.Apply(both, "and", (mask, op.mask), op.span))
            mask = both
        first = None if op.result is None else self.ids.fresh(op.result.type, "", op.span)
        made = replace(op, result=first, mask=mask)
        self.effects[made] = effect
        out.append(made)
        if op.result is not None and first is not None:
            out.append(lir.ShareFirst(op.result, first, None, op.span, lanes=effect.lanes or 1))

    def _note_effect(self, op: Access, made: lir.Op, scope: Scope) -> Effect:
        effect = self.memory.effect(op)
        if scope.counter is None:
            self.effects[made] = effect
        else:
            scope.effects.append(effect)
        return effect

    def _guard(self, store: tir.Store, compare: str, bound: int, out: list[lir.Op]) -> None:
        """Lets only the threads of which `thread <compare> bound` holds store."""
        cond = self._is_thread(compare, bound, store.span, out)
        out.append(tir.If(cond, tir.Block((store,), tir.Yield()), tir.Block((), tir.Yield()), (), store.span))

    def _is_thread(self, compare: str, bound: int, span: Span, out: list[lir.Op]) -> Value:
        """Whether `thread <compare> bound` holds of this thread."""
        limit = self.ids.fresh(Scalar(dtypes.I64))
        cond = self.ids.fresh(Scalar(dtypes.BOOL))
        out += [tir.Const(limit, bound, span), tir.Apply(cond, compare, (self.thread(), limit), span)]
        return cond

    def _index(self, op: tir.Arange, scope: Scope, result: Value | None) -> Value:
        """Which lane of the tile this is: the first of the thread and as many more as `further` says."""
        if result is None or not isinstance(op.result.type, Tile) or op.result.type.layout is None:
            raise InternalError("an arange has a result", op)
        group = op.result.type.layout.group
        if op.size == 1:
            return self.constant(0, scope.out)
        if self.threads == 1:
            return scope.counter if scope.counter is not None else self.constant(0, scope.out)
        if scope.counter is None:
            if op.size >= self.threads:
                return self._first(group, scope.out)
            scope.out.append(tir.Apply(result, "and", (self.thread(), self.constant(op.size - 1, scope.out)), op.span))
            return result
        pair = (self.further(group, scope), self._first(group, scope.out))
        scope.out.append(tir.Apply(result, "add", pair if group == 1 else pair[::-1], op.span))
        return result

    def further(self, group: int, scope: Scope) -> Value:
        """How many lanes the one at the counter of a lane loop is after the thread's first: groups are a round of all
        threads apart."""
        if scope.counter is None:
            raise InternalError("only a lane loop has lanes further on", scope)
        if group == scope.count:
            return scope.counter
        if group == 1:
            return self._apply("mul", scope.counter, self.threads, scope.out)
        before = self._apply("floordiv", scope.counter, group, scope.out)
        rounds = self._apply("mul", before, self.threads * group, scope.out)
        return self._sum(rounds, self._apply("mod", scope.counter, group, scope.out), scope.out)

    def after(self, first: Value, group: int, scope: Scope) -> Value:
        """The number in this lane of a tile that counts on from `first`, that of the thread's first lane."""
        return self._sum(first, self.further(group, scope), scope.out)

    def compare(self, op: lir.Op, relation: str, bound: Value, scope: Scope, result: Value) -> Value:
        """A comparison of the lanes of a tile that counts on from the thread's first, as one of how far they are from
        there."""
        further = self.ids.fresh(bound.type)
        scope.out.append(tir.Cast(further, self.further(layout_of(operands_of(op)[0]).group, scope), op.span))
        scope.out.append(tir.Apply(result, relation, (further, bound), op.span))
        return result

    def _sum(self, left: Value, right: Value, out: list[lir.Op]) -> Value:
        result = self.ids.fresh(Scalar(dtypes.I64))
        out.append(tir.Apply(result, "add", (left, right)))
        return result

    def _first(self, group: int, out: list[lir.Op]) -> Value:
        return self.thread() if group == 1 else self._apply("mul", self.thread(), group, out)

    def _apply(self, op: str, value: Value, constant: int, out: list[lir.Op]) -> Value:
        result = self.ids.fresh(Scalar(dtypes.I64))
        out.append(tir.Apply(result, op, (value, self.constant(constant, out))))
        return result

    def constant(self, value: int, out: list[lir.Op]) -> Value:
        result = self.ids.fresh(Scalar(dtypes.I64))
        out.append(tir.Const(result, value))
        return result
