"""Runs a lowered tile kernel thread by thread, each as far as it gets alone, in an order that a seed chooses.

A missing barrier, a stage that is written too early or flow that is not uniform shows as a wrong result or a hang.
Folds and scans are done as `lir.Fold` and `lir.Scan` describe, through shared memory and shuffles.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.lowering.ranges import Ranges, ranges
from transpile.ops.convert import convert
from transpile.ops.operation import Operation
from transpile.ops.scan import running
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS
from transpile.typing.types import Pointer, Vec

WARP = 32
Step = Generator[tuple[str, Any], Any, Any]


@dataclass(frozen=True)
class Address:
    array: np.ndarray
    offset: int = 0


class LeaveError(Exception):
    """A loop or the kernel is left: `end` says how."""

    def __init__(self, end: tir.Terminator, values: tuple[Any, ...]) -> None:
        super().__init__(end)
        self.end = end
        self.values = values


def simulate(kernel: lir.Kernel, program: int, arguments: Sequence[Any], seed: int) -> int:
    """Runs one program; returns how many block barriers each thread met (those of exchanges included)."""
    shared: dict[int, Address] = {}
    known = ranges(kernel.function)
    threads = [Thread(kernel, number, program, shared, known) for number in range(kernel.threads)]
    runs = [thread.run(arguments) for thread in threads]
    return Scheduler(runs, random.Random(seed)).run()


@dataclass
class Scheduler:
    """Runs one warp at a time, as far as it gets; with half of the seeds the same one again as long as it can go on."""

    runs: list[Step]
    random: random.Random
    waiting: dict[int, tuple[str, Any]] = field(default_factory=dict)
    answers: dict[int, Any] = field(default_factory=dict)
    barriers: int = 0

    def run(self) -> int:
        done: set[int] = set()
        everyone = [range(first, min(first + WARP, len(self.runs))) for first in range(0, len(self.runs), WARP)]
        ready = list(everyone)
        keeps_on = self.random.random() < 0.5
        self.random.shuffle(ready)
        while ready:
            warp = ready.pop(-1 if keeps_on else self.random.randrange(len(ready)))
            for number in self.random.sample(warp, len(warp)):
                try:
                    self.waiting[number] = self.runs[number].send(self.answers.pop(number, None))
                except StopIteration:
                    done.add(number)
            if self.shuffles(warp):
                ready.append(warp)
            if not ready and self.waiting:
                assert not done, "a thread left early"
                assert {kind for kind, _ in self.waiting.values()} == {"barrier"}, "a hang"
                self.barriers += 1
                self.waiting.clear()
                ready = list(everyone)
        return self.barriers

    def shuffles(self, warp: range) -> bool:
        """Answers a warp whose threads have met in a shuffle."""
        met = [self.waiting.get(number, ("", None)) for number in warp]
        if any(kind != "shuffle" for kind, _ in met):
            return False
        values, steps = zip(*(wanted for _, wanted in met), strict=True)
        assert len(set(steps)) == 1, "threads of a warp shuffle differently"
        for number in warp:
            del self.waiting[number]
            self.answers[number] = values[_source(number % WARP, steps[0])]
        return True


def _source(lane: int, step: int) -> int:
    """The lane that a shuffle reads from: the first (0), across by a step, or as far before as a negative one says."""
    if step < 0:
        return lane + step if lane + step >= 0 else lane
    return lane ^ step if step else 0


class Thread:
    """`known` are the ranges of its integers: each is checked to be true."""

    def __init__(
        self, kernel: lir.Kernel, number: int, program: int, shared: dict[int, Address], known: Ranges
    ) -> None:
        self.known = known
        self.kernel = kernel
        self.number = number
        self.program = program
        self.shared = shared
        self.values: dict[int, Any] = {}

    def run(self, arguments: Sequence[Any]) -> Step:
        for parameter, argument in zip(self.kernel.function.parameters, arguments, strict=True):
            self.values[parameter.value.id] = argument
        try:
            yield from self.block(self.kernel.function.body)
        except LeaveError as leave:
            if not isinstance(leave.end, tir.Return):
                raise

    def block(self, block: tir.Block) -> Step:
        for op in lir.ops_of(block):
            yield from self.op(op)
        match block.end:
            case tir.Yield(values):
                return self.all(values)
            case tir.Condition(value):
                return bool(self.get(value))
            case tir.Break(values) | tir.Continue(values):
                raise LeaveError(block.end, self.all(values))
            case tir.Return():
                raise LeaveError(block.end, ())

    def get(self, value: Value) -> Any:
        return self.values[value.id]

    def all(self, values: Sequence[Value]) -> tuple[Any, ...]:
        return tuple(self.values[value.id] for value in values)

    def put(self, values: Sequence[Value], given: Sequence[Any]) -> None:
        for value, item in zip(values, given, strict=True):
            self.values[value.id] = item
            self.check(value)

    def check(self, value: Value) -> None:
        if value.id in self.known:
            low, high = self.known[value.id]
            item = self.values[value.id]
            least, most = (item.min(), item.max()) if isinstance(item, np.ndarray) and item.ndim else (item, item)
            if not (low <= least and most <= high):
                raise AssertionError(f"{value} is {item}, not in {low} … {high}")

    def op(self, op: lir.Op) -> Step:
        match op:
            case tir.If():
                given = yield from self.block(op.then if self.get(op.cond) else op.orelse)
                self.put(op.results, given)
            case tir.For():
                yield from self.counted(op)
            case tir.While():
                yield from self.tested(op)
            case lir.LaneLoop():
                yield from self.lanes(op)
            case tir.Barrier():
                yield ("barrier", None)
            case tir.Assert():
                assert self.get(op.cond), op.text
            case lir.Fold():
                self.put([op.result], [(yield from self.fold(op))])
            case lir.Scan():
                self.put([op.result], [(yield from self.scan(op))])
            case lir.ShareFirst():
                self.put([op.result], [(yield from self.share(op))])
            case _:
                self.simple(op)

    def counted(self, op: tir.For) -> Step:
        carried = self.all(op.inits)
        start, stop, step = (int(self.get(v)) for v in (op.start, op.stop, op.step))
        for index in range(start, stop, step) if step else ():
            self.put([op.index], [np.int64(index)])
            self.put(op.carried, carried)
            try:
                carried = yield from self.block(op.body)
            except LeaveError as leave:
                if isinstance(leave.end, tir.Return):
                    raise
                carried = leave.values
                if isinstance(leave.end, tir.Break):
                    break
        self.put(op.results, carried)

    def tested(self, op: tir.While) -> Step:
        carried = self.all(op.inits)
        while True:
            self.put(op.carried, carried)
            if not (yield from self.block(op.test)):
                break
            try:
                carried = yield from self.block(op.body)
            except LeaveError as leave:
                if isinstance(leave.end, tir.Return):
                    raise
                carried = leave.values
                if isinstance(leave.end, tir.Break):
                    break
        self.put(op.results, carried)

    def lanes(self, op: lir.LaneLoop) -> Step:
        columns: list[tuple[Any, ...]] = []
        totals = [_number(fold.start, fold.result) for fold in op.folds]
        for k in range(op.count):
            self.values[op.counter.id] = np.int64(k)
            columns.append((yield from self.block(op.body)))
            for place, fold in enumerate(op.folds):
                totals[place] = combine(fold.op, totals[place], self.get(fold.source))
        for place, result in enumerate(op.results):
            self.put([result], [np.array([column[place] for column in columns])])
        self.put([fold.result for fold in op.folds], totals)

    def fold(self, op: lir.Fold) -> Step:
        held = self.get(op.operand)
        value = held
        if isinstance(op.operand.type, Vec):
            while len(held) > op.group:
                half = len(held) // 2
                held = np.array([combine(op.op, a, b) for a, b in zip(held[:half], held[half:], strict=True)])
            if op.group > 1:
                held = yield from self.apart(op, held)
                while len(held) > 1:
                    half = len(held) // 2
                    held = np.array([combine(op.op, a, b) for a, b in zip(held[:half], held[half:], strict=True)])
            value = held[0]
        together = min(op.lanes, op.threads)
        if together > WARP:
            assert op.stage is not None
            stage = self.get(op.stage).array
            if self.number < together:
                stage[self.number] = value
            yield ("barrier", None)
            parts = [stage[warp * WARP + self.number % WARP] for warp in range(together // WARP)]
            while len(parts) > 1:
                half = len(parts) // 2
                parts = [combine(op.op, a, b) for a, b in zip(parts[:half], parts[half:], strict=True)]
            value = parts[0]
        step = min(together, WARP) // 2
        while step:
            other = yield ("shuffle", (value, step))
            value = combine(op.op, value, other)
            step //= 2
        return value

    def scan(self, op: lir.Scan) -> Step:
        """Block by block; more than 32 of them are scanned in `stage`, by this thread's copy of it."""
        held = self.get(op.operand)
        if op.threads == 1:
            with np.errstate(all="ignore"):
                return running(held, 0, OPERATIONS[SCANS[op.op].combine])
        values = list(held) if isinstance(op.operand.type, Vec) else [held]
        for place, value in enumerate(values):
            values[place] = yield from self.scan_group(op, value, min(op.lanes, WARP))
        if op.lanes > WARP:
            assert op.stage is not None
            stage = self.get(op.stage).array
            blocks = [(place * op.threads + self.number) % op.lanes // WARP for place in range(len(values))]
            if self.number % WARP == WARP - 1 and self.number < op.lanes:
                for block, value in zip(blocks, values, strict=True):
                    stage[block] = value
            yield ("barrier", None)
            row = OPERATIONS[SCANS[op.op].combine]
            with np.errstate(all="ignore"):
                totals = running(stage[: op.lanes // WARP], 0, row)
            for place, block in enumerate(blocks):
                values[place] = joined(row, totals[block - 1], values[place]) if block else values[place]
        return np.array(values) if isinstance(op.operand.type, Vec) else values[0]

    def scan_group(self, op: lir.Scan, value: Any, lanes: int) -> Step:
        distance = 1
        while distance < lanes:
            before = yield ("shuffle", (value, -distance))
            if self.number % lanes >= distance:
                value = joined(OPERATIONS[SCANS[op.op].combine], before, value)
            distance *= 2
        return value

    def apart(self, op: lir.Fold, held: np.ndarray) -> Step:
        """A thread's group of neighbours, as single lanes of all groups."""
        assert op.stage is not None
        stage = self.get(op.stage).array
        stage[self.number * op.group : (self.number + 1) * op.group] = held
        yield ("barrier", None)
        return np.array([stage[k * op.threads + self.number] for k in range(op.group)])

    def share(self, op: lir.ShareFirst) -> Step:
        if op.stage is None:
            return (yield ("shuffle", (self.get(op.operand), 0)))
        stage = self.get(op.stage).array
        if self.number == 0:
            stage[0] = self.get(op.operand)
        yield ("barrier", None)
        return stage[0]

    def simple(self, op: lir.Op) -> None:
        match op:
            case tir.Note():
                pass
            case lir.StoreGroups():
                lanes = self.get(op.value)
                masks = np.ones(len(lanes), bool) if op.mask is None else self.get(op.mask)
                place = self.get(op.pointer)
                for k in np.flatnonzero(masks):
                    index = place.offset + self.lane(op, int(k))
                    assert 0 <= index < len(place.array), "a store out of bounds"
                    place.array[index] = lanes[k]
            case tir.Store():
                if op.mask is None or self.get(op.mask):
                    place = self.get(op.pointer)
                    index = place.offset + (0 if op.offsets is None else int(self.get(op.offsets)))
                    assert 0 <= index < len(place.array), "a store out of bounds"
                    place.array[index] = self.get(op.value)
            case _:
                with np.errstate(all="ignore"):
                    self.values[op.result.id] = self.value(op)
                self.check(op.result)

    def value(self, op: Any) -> Any:
        match op:
            case tir.Const():
                return _number(op.value, op.result)
            case tir.Index():
                return np.int64(self.program if op.kind == "program_id" and op.axis == 0 else op.kind == "num_programs")
            case lir.Thread():
                return np.int64(self.number)
            case tir.Apply():
                operands = [np.asarray(self.get(v)).reshape(1) for v in op.operands]
                return OPERATIONS[op.op].reference(*operands).reshape(1)[0]
            case tir.Cast():
                source, to = op.operand.type.dtype, op.result.type.dtype
                return convert(np.asarray(self.get(op.operand)).reshape(1), source, to)[0]
            case lir.LaneGet():
                return self.get(op.operand)[int(self.get(op.lane))]
            case tir.Offset():
                pointer = self.get(op.pointer)
                return Address(pointer.array, pointer.offset + int(self.get(op.index)))
            case tir.Load():
                return self.load(op)
            case lir.LoadGroups():
                return self.load_groups(op)
            case tir.Alloc():
                assert isinstance(op.result.type, Pointer)
                fresh = Address(np.full(op.count, 77, op.result.type.dtype.numpy))
                return self.shared.setdefault(op.result.id, fresh)
        raise AssertionError(op)

    def lane(self, op: lir.LoadGroups | lir.StoreGroups, k: int) -> int:
        return int(self.get(op.first)) + k // op.group * op.threads * op.group + k % op.group

    def load_groups(self, op: lir.LoadGroups) -> np.ndarray:
        assert isinstance(op.result.type, Vec)
        count = op.result.type.count
        assert isinstance(count, int)
        assert (op.mask is None) == (op.other is None)
        masks = np.ones(count, bool) if op.mask is None else self.get(op.mask)
        held = np.full(count, 0 if op.other is None else self.get(op.other), op.result.type.dtype.numpy)
        place = self.get(op.pointer)
        for k in np.flatnonzero(masks):
            index = place.offset + self.lane(op, int(k))
            assert 0 <= index < len(place.array), "a load out of bounds"
            held[k] = place.array[index]
        return held

    def load(self, op: tir.Load) -> Any:
        if op.mask is not None and not self.get(op.mask):
            assert op.other is not None
            return self.get(op.other)
        place = self.get(op.pointer)
        index = place.offset + (0 if op.offsets is None else int(self.get(op.offsets)))
        assert 0 <= index < len(place.array), "a load out of bounds"
        return place.array[index]


def combine(op: str, a: Any, b: Any) -> Any:
    return joined(OPERATIONS[REDUCTIONS[op].combine], a, b)


def joined(row: Operation, a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return row.reference(np.asarray(a).reshape(1), np.asarray(b).reshape(1))[0]


def _number(value: bool | int | float, result: Value) -> Any:
    return np.array([value], dtype=result.type.dtype.numpy)[0]
