"""Lowers a laid-out tile kernel as its plan says: what a thread holds of a tile becomes a `Vec` (one lane: a
`Scalar`), runs of elementwise work become lane loops. Barriers and stages come after (`barriers`)."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from transpile.diagnostics.core import InternalError
from transpile.ir import lir, tir
from transpile.ir.rename import renamed, renamed_end
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.lowering.accumulate import accumulates, start_of
from transpile.lowering.assign import assign_layouts, spread_of
from transpile.lowering.barriers import place_barriers
from transpile.lowering.bounds import bound, comparison
from transpile.lowering.cheap import held
from transpile.lowering.effects import Memory
from transpile.lowering.groups import has_groups, is_contiguous, uniform
from transpile.lowering.intervals import Interval
from transpile.lowering.lanes import Lanes, Scope, held_type
from transpile.lowering.layout import WARP, layout_of
from transpile.lowering.near import take_apart
from transpile.lowering.phases import Phase, lanes_read, split
from transpile.lowering.plan import Branch, Plan, Region, plan_function
from transpile.lowering.prune import prune_function
from transpile.lowering.quotients import share_reciprocals
from transpile.lowering.ranges import ranges
from transpile.lowering.steps import FoldStep, Inline, Item, Loop, Statement, Step, begins_statement
from transpile.lowering.target import TileTarget
from transpile.lowering.unmask import unmask
from transpile.ops.table import REDUCTIONS
from transpile.typing.types import Scalar, Tile


def lower_tiles(function: tir.Function, target: TileTarget) -> lir.Kernel:
    """TIR of a tile kernel -> lowered LIR."""
    function = function if target.is_gpu else take_apart(function)
    known = ranges(function)
    function = prune_function(unmask(function, known))
    threads = spread_of(function, target).threads
    laid_out = assign_layouts(function, target)
    memory = Memory(laid_out, threads, known.get)
    plan = plan_function(laid_out, memory, partial(accumulates, target=target), delays_loads=not target.is_gpu)
    shares_reciprocals = target.is_gpu and not function.fast_math
    lowerer = _Lowerer(Lanes.of(laid_out, memory, threads), plan, known, shares_reciprocals)
    kernel = lir.Kernel(function=replace(laid_out, body=lowerer.body()), threads=threads, held=lowerer.most)
    return place_barriers(kernel, memory, lowerer.lanes.effects) if threads > 1 else kernel


class _Lowerer:
    def __init__(self, lanes: Lanes, plan: Plan, known: Mapping[int, Interval], shares_reciprocals: bool) -> None:
        self.lanes = lanes
        self.plan = plan
        self.known = known
        self.shares_reciprocals = shares_reciprocals
        self.now = lanes.now
        self.partial: dict[int, Value] = {}  # what a loop accumulated in each thread, by the fold's result
        self.told: set[int] = set()  # statements whose text stands already
        self.bounds: dict[Hashable, Value] = {}  # what lanes are compared with
        self.most = 0

    def body(self) -> tir.Block:
        block = self._region(self.plan.region)
        return lir.block([*self.lanes.opening(), *lir.ops_of(block)], block.end)

    def _region(self, region: Region) -> tir.Block:
        out: list[lir.Op] = []
        outside = self.bounds
        self.bounds = dict(outside)
        for part in region.parts:
            if isinstance(part, Branch):
                out.append(self._branch(part, out))
            else:
                for step in part:
                    self._step(step, out)
        self._tell(region.tail, out)
        self.bounds = outside
        return lir.block(out, renamed_end(region.end, self.now))

    def _tell(self, statement: Statement | None, out: list[lir.Op]) -> None:
        """Puts the text of a statement where the first of its work stands."""
        if statement is not None and statement.number not in self.told:
            self.told.add(statement.number)
            out.append(statement.note)

    def _branch(self, branch: Branch, out: list[lir.Op]) -> lir.Op:
        self._tell(branch.item.statement, out)
        op = renamed(branch.item.op, self.now)
        match op:
            case tir.If():
                then, orelse = (self._region(inner) for inner in branch.regions)
                return replace(op, then=then, orelse=orelse, results=self._slots(op.results))
            case tir.For():
                carried = self._slots(op.carried)
                body = self._region(branch.regions[0])
                return replace(op, carried=carried, body=body, results=self._slots(op.results))
            case tir.While():
                carried = self._slots(op.carried)
                test, body = (self._region(inner) for inner in branch.regions)
                return replace(op, carried=carried, test=test, body=body, results=self._slots(op.results))
        raise InternalError("not a branch", op)

    def _slots(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(self._slot(value) for value in values)

    def _slot(self, value: Value) -> Value:
        """What a thread holds of a tile, under the tile's number; from now on it stands for it."""
        if not isinstance(value.type, Tile):
            return value
        self.most = max(self.most, held(value))
        self.now[value.id] = replace(value, type=held_type(value))
        return self.now[value.id]

    def _step(self, step: Step, out: list[lir.Op]) -> None:
        match step:
            case Inline():
                for item in step.items:
                    self._inline(item, out)
            case Loop():
                self._loop(step, out)
            case FoldStep() if isinstance(step.item.op, tir.Scan):
                self._scan(step.item, step.item.op, out)
            case FoldStep():
                self._fold(step, out)

    def _inline(self, item: Item, out: list[lir.Op]) -> None:
        op = item.op
        if begins_statement(op):
            self._tell(item.statement, out)
        if isinstance(op, tir.Note):
            out.append(op)
        elif _is_of_tiles(op):
            result = result_of(op)
            scope = Scope(out, lambda value: self.now.get(value.id, value))
            made = self.lanes.emit(op, scope, None if result is None else replace(result, type=held_type(result)))
            if result is not None and made is not None:
                self.most = max(self.most, held(result))
                self.now[result.id] = made
        else:
            self.lanes.emit_scalar(renamed(op, self.now), op, out)

    def _loop(self, step: Loop, out: list[lir.Op]) -> None:
        self.most = max(self.most, step.count)
        for item in step.items:
            if (result := result_of(item.op)) is not None:
                self.lanes.makers[result.id] = item
        if not any(self._is_grouped(item.op) for item in step.items):
            self._lanes(Phase(step.items, step.folded), step.count, {}, out)
            return
        before = set(self.now)
        firsts = self._firsts(step, out)
        for phase in split(step, self._is_grouped, self.lanes.memory, self.plan.cheap, self.plan.kept):
            self._lanes(phase, step.count, firsts, out)
            for item in phase.groups:
                self._access(item, firsts, out)
        for number in self.now.keys() - before - self.plan.kept:
            del self.now[number]

    def _is_grouped(self, op: lir.Op) -> bool:
        """Whether an access moves several lanes at once."""
        return self.lanes.threads > 1 and has_groups(op) and is_contiguous(op, self.lanes.memory.affine)

    def _firsts(self, step: Loop, out: list[lir.Op]) -> dict[int, Value]:
        """Offsets of accesses of several lanes that lane loops read too, in the thread's first lane."""
        ops = [item.op for item in (*step.items, *step.folded)]
        read = {value.id for op in ops if not self._is_grouped(op) for value in operands_of(op)}
        head = _Body(self, out)
        offsets = [op.offsets for op in ops if isinstance(op, tir.Load | tir.Store) and self._is_grouped(op)]
        return {value.id: head.read(value) for value in offsets if value is not None and value.id in read}

    def _lanes(self, phase: Phase, count: int, firsts: Mapping[int, Value], out: list[lir.Op]) -> None:
        """The lane loop of one phase."""
        read = [value for item in phase.groups for value in lanes_read(item.op) if value.id not in self.now]
        kept = self.plan.kept | phase.kept | {value.id for value in read}
        body = _Body(self, [], count, kept, firsts, outside=out)
        collected: dict[int, tuple[Value, Value]] = {}
        for item in phase.lanes:
            result = result_of(item.op)
            if result is not None and result in self.plan.cheap and result.id not in kept:
                continue  # made where it is read
            if result is None:
                body.visit(item)
                continue
            made = body.read(result)
            if result.id in kept:
                collected[result.id] = (result, made)
        for value in read:
            if value.id not in collected:
                collected[value.id] = (value, body.read(value))
        folds = tuple(self._accumulate(item, body) for item in phase.folded)
        if not body.ops and not collected and not folds:
            return
        results = tuple(self._hold(value) for value, _ in collected.values())
        end = tir.Yield(tuple(value for _, value in collected.values()))
        ops = self._heading(body.ops, out)
        if self.shares_reciprocals:
            before, ops = share_reciprocals(ops, count, self.lanes.memory.affine.makers, self.lanes.ids)
            out += before
        block = lir.block(ops, end)
        effects = tuple(body.scope.effects)
        out.append(lir.LaneLoop(body.counter, count, block, results, folds, effects))

    def bound(self, op: lir.Op, firsts: Mapping[int, Value], out: list[lir.Op]) -> tuple[str, Value] | None:
        """For a comparison of a tile that counts on from its first lane: how, and with what, each lane compares how far
        it is from there."""
        affine = self.lanes.memory.affine
        compared = comparison(op, affine, self.known) if self.lanes.threads > 1 else None
        if compared is None:
            return None
        counted, number = compared.counted, compared.number
        key = (counted.type, affine.form(counted), affine.form(number), compared.least)
        if key not in self.bounds:
            first = firsts.get(counted.id)
            if first is None:
                lane = _Body(self, out).read(counted)
                first = self.lanes.ids.fresh(lane.type, "first")
                out.append(tir.Apply(first, "pos", (lane,), op.span))
            self.bounds[key] = bound(compared, first, self.now.get(number.id, number), self.lanes.ids, out)
        return compared.relation, self.bounds[key]

    def _access(self, item: Item, firsts: dict[int, Value], out: list[lir.Op]) -> None:
        """A load or store of several lanes at once."""
        op = item.op
        if not isinstance(op, tir.Load | tir.Store) or op.offsets is None:
            raise InternalError("only accesses move groups of lanes", op)
        first = firsts.get(op.offsets.id)
        if first is None:
            first = firsts[op.offsets.id] = _Body(self, out).read(op.offsets)
        self._tell(item.statement, out)
        pointer = self.now.get(op.pointer.id, op.pointer)
        mask = None if op.mask is None else self.now[op.mask.id]
        group, threads = layout_of(op.offsets).group, self.lanes.threads
        made: lir.LoadGroups | lir.StoreGroups
        if isinstance(op, tir.Store):
            made = lir.StoreGroups(pointer, first, self.now[op.value.id], group, threads, mask, op.span)
        else:
            other = None if op.other is None else uniform(op.other, self.lanes.memory.affine)
            other = None if other is None else self.now.get(other.id, other)
            made = lir.LoadGroups(self._hold(op.result), pointer, first, group, threads, mask, other, op.span)
        self.lanes.effects[made] = self.lanes.memory.effect(op)
        out.append(made)

    def _hold(self, value: Value) -> Value:
        """What a thread holds of a tile of a lane loop; where only this loop reads it, under a number of its own."""
        if value.id in self.plan.kept:
            return self._slot(value)
        self.now[value.id] = self.lanes.ids.fresh(held_type(value), value.name, value.span)
        return self.now[value.id]

    def _heading(self, ops: list[lir.Op], out: list[lir.Op]) -> list[lir.Op]:
        """A loop of one statement stands under its text; the texts of several stand inside."""
        notes = [op for op in ops if isinstance(op, tir.Note)]
        if len(notes) != 1:
            return ops
        out.append(notes[0])
        return [op for op in ops if not isinstance(op, tir.Note)]

    def _accumulate(self, item: Item, body: _Body) -> lir.LaneFold:
        op = item.op
        if not isinstance(op, tir.Reduce):
            raise InternalError("only a fold is accumulated", op)
        self._tell(item.statement, body.ops)
        result = op.result
        if self.lanes.threads > 1:
            result = self.lanes.ids.fresh(Scalar(op.result.type.dtype), op.result.name)
            self.partial[op.result.id] = result
        return lir.LaneFold(result, op.op, body.read(op.operand), start_of(op))

    def _fold(self, step: FoldStep, out: list[lir.Op]) -> None:
        op = step.item.op
        if not isinstance(op, tir.Reduce) or not isinstance(op.operand.type, Tile):
            raise InternalError("only a tile is folded", op)
        if op.axis is not None:
            raise InternalError("folds along one axis are laid out, not lowered", op)
        threads, lanes = self.lanes.threads, op.operand.type.lanes
        if step.accumulated and threads == 1:
            return
        self._tell(step.item.statement, out)
        operand = self.partial[op.result.id] if step.accumulated else self.now[op.operand.id]
        is_open = lanes <= WARP and lanes < threads and self.lanes.memory.replicas_may_differ
        result = self.lanes.ids.fresh(op.result.type) if is_open else op.result
        if lanes > 1:
            any_order = op.result.type.dtype.kind in REDUCTIONS[op.op].any_order_on
            replicas = max(1, threads // lanes)
            group = 1 if any_order or threads == 1 else layout_of(op.operand).group
            out.append(lir.Fold(result, op.op, operand, lanes, threads, None, replicas, any_order, group, op.span))
            operand = result
        if is_open:
            out.append(lir.ShareFirst(op.result, operand, None, op.span))
        elif lanes == 1:
            self.now[op.result.id] = operand

    def _scan(self, item: Item, op: tir.Scan, out: list[lir.Op]) -> None:
        if not isinstance(op.result.type, Tile):
            raise InternalError("only a tile is scanned", op)
        self._tell(item.statement, out)
        operand, result = self.now[op.operand.id], self._slot(op.result)
        if op.result.type.lanes == 1:
            self.now[op.result.id] = operand
        else:
            out.append(lir.Scan(result, op.op, operand, op.result.type.lanes, self.lanes.threads, None, op.span))


class _Body:
    """The inside of one lane loop: what it has worked out so far, and how to get at the rest. `kept` are the tiles that
    it collects, `firsts` the first lanes of some of which the others are the next numbers, `outside` the ops before the
    loop. Of one lane: the first, outside of a loop."""

    def __init__(
        self,
        lowerer: _Lowerer,
        ops: list[lir.Op],
        count: int = 1,
        kept: Container[int] = (),
        firsts: Mapping[int, Value] = MappingProxyType({}),
        outside: list[lir.Op] | None = None,
    ) -> None:
        self.lowerer = lowerer
        self.ops = ops
        self.kept = kept
        self.firsts = firsts
        self.outside = outside
        self.values: dict[int, Value] = {}
        self.counter = lowerer.lanes.counter()
        self.scope = Scope(ops, self.read, self.counter if count > 1 else None, count)

    def read(self, value: Value) -> Value:
        """`value` in this lane: kept from before, or worked out here, what is behind it first, however long a chain."""
        if not isinstance(value.type, Tile):
            return self.lowerer.now.get(value.id, value)
        pending = [value]
        while pending:
            here = pending[-1]
            if here.id not in self.values and not self._takes(here):
                item = self.lowerer.lanes.makers[here.id]
                limit = self._limit(item.op)
                if wanted := self._wanted(item.op, limit):
                    pending += reversed(wanted)
                    continue
                self._work_out(item, limit)
            pending.pop()
        return self.values[value.id]

    def _takes(self, value: Value) -> bool:
        """Takes this lane of a tile that is held, or whose first lane is; whether it is one."""
        lanes, whole = self.lowerer.lanes, self.lowerer.now.get(value.id)
        if whole is not None:
            got = self.values[value.id] = lanes.ids.fresh(Scalar(value.type.dtype))
            self.ops.append(lir.LaneGet(got, whole, self.scope.counter or lanes.constant(0, self.ops)))
        elif value.id in self.firsts:
            self.values[value.id] = lanes.after(self.firsts[value.id], layout_of(value).group, self.scope)
        return value.id in self.values

    def _limit(self, op: lir.Op) -> tuple[str, Value] | None:
        if self.outside is None or self.scope.count == 1:
            return None
        return self.lowerer.bound(op, self.firsts, self.outside)

    def _wanted(self, op: lir.Op, limit: tuple[str, Value] | None) -> list[Value]:
        """The tiles that have no value here yet, and that `op` reads."""
        return [] if limit is not None else [value for value in _tiles_read(op) if value.id not in self.values]

    def visit(self, item: Item) -> None:
        """Works out an op that has no result, its operands first."""
        for value in self._wanted(item.op, None):
            self.read(value)
        self._work_out(item, None)

    def _work_out(self, item: Item, limit: tuple[str, Value] | None) -> None:
        """Works out one op whose operands have their values."""
        result = result_of(item.op)
        lanes = self.lowerer.lanes
        self.lowerer._tell(item.statement, self.ops)
        fresh = None
        if result is not None:
            is_named = self.scope.counter is not None and result.id not in self.kept
            name = result.name if is_named else ""
            fresh = lanes.ids.fresh(Scalar(result.type.dtype), name, result.span)
        if fresh is not None and limit is not None:
            made: Value | None = lanes.compare(item.op, *limit, self.scope, fresh)
        else:
            made = lanes.emit(item.op, self.scope, fresh)
        if result is not None and made is not None:
            self.values[result.id] = made


def _is_of_tiles(op: lir.Op) -> bool:
    result = result_of(op)
    if result is not None:
        return isinstance(result.type, Tile)
    return any(isinstance(value.type, Tile) for value in operands_of(op))


def _tiles_read(op: lir.Op) -> Iterator[Value]:
    return (value for value in operands_of(op) if isinstance(value.type, Tile))
