"""What integers can be: an interval for each integer value of a function, and which operations are exact because of
it.

Sound for TIR and for both forms of LIR. Loads and parameters may be anything of their type; loops are walked until
what they carry no longer grows, at most a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from transpile.diagnostics.core import InternalError
from transpile.dtypes import DType
from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import end_values, result_of
from transpile.lowering.intervals import (
    BIT,
    NEGATED,
    SWAPPED,
    Interval,
    apply,
    compare,
    fits,
    full,
    join,
    narrowed,
)
from transpile.typing.types import Pointer, Tile, Vec, largest

GRID: Final = (2**31 - 1, 65_535, 65_535)
BLOCK: Final = (1024, 1024, 64)
Turn: TypeAlias = "Callable[[], list[Interval | None] | None]"
DEEP: Final = 2  # loops inside so many others are walked once, with nothing assumed of what they carry


@dataclass(frozen=True)
class Ranges(Mapping[int, Interval]):
    """Intervals by the ids of integer and bool values (of a tile, vec or lane: of each). `exact` holds the results of
    operations, accumulated folds among them, for which the plain operator of C++ is right."""

    known: Mapping[int, Interval]
    exact: frozenset[int] = frozenset()

    def __getitem__(self, key: int) -> Interval:
        return self.known[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


NOTHING_KNOWN: Final = Ranges({})


def ranges(function: tir.Function) -> Ranges:
    """The intervals of everything in `function`."""
    analysis = _Analysis()
    for parameter in function.parameters:
        if parameter.static is not None:
            analysis.known[parameter.value.id] = (parameter.static, parameter.static)
        else:
            analysis.anything(parameter.value)
    analysis.block(function.body)
    return Ranges(analysis.known, frozenset(analysis.exact))


def _is_integer(dtype: DType) -> bool:
    return not dtype.is_float


@dataclass(slots=True)
class _Loop:
    """What the innermost loop is handed at its early ends."""

    again: list[Interval | None] = field(default_factory=list)
    left: list[Interval | None] = field(default_factory=list)


class _Analysis:
    def __init__(self) -> None:
        self.known: dict[int, Interval] = {}
        self.exact: set[int] = set()
        self.makers: dict[int, lir.Op] = {}
        self.here: dict[int, Interval] = {}  # what is known besides, where we are
        self.loops: list[_Loop] = []

    def of(self, value: Value) -> Interval:
        found = self.here.get(value.id)
        return found if found is not None else self.known.get(value.id, full(value.type.dtype))

    def anything(self, value: Value) -> None:
        if _is_integer(value.type.dtype) and not isinstance(value.type, Pointer):
            self.known[value.id] = full(value.type.dtype)

    def put(self, value: Value, interval: Interval | None) -> None:
        if interval is not None:
            self.known[value.id] = interval

    def all(self, values: Sequence[Value]) -> list[Interval | None]:
        """The intervals of the integers among `values`."""
        return [
            self.of(value) if _is_integer(value.type.dtype) and not isinstance(value.type, Pointer) else None
            for value in values
        ]

    # ------------------------------------------------------------ blocks

    def block(self, block: tir.Block) -> list[Interval | None] | None:
        """What the block yields; None where it does not fall out."""
        for op in lir.ops_of(block):
            self.op(op)
        values = self.all(end_values(block.end))
        match block.end:
            case tir.Yield() | tir.Condition():
                return values
            case tir.Break():
                self.loops[-1].left = _joined(self.loops[-1].left, values)
            case tir.Continue():
                self.loops[-1].again = _joined(self.loops[-1].again, values)
            case _:
                pass
        return None

    def under(self, block: tir.Block, cond: Value, holds: bool) -> list[Interval | None] | None:
        """`block`, which runs only where `cond` is `holds`."""
        before = dict(self.here)
        self.learn(cond, holds)
        values = self.block(block)
        self.here = before
        return values

    def learn(self, cond: Value, holds: bool) -> None:
        """Takes `cond` to be `holds` from here on."""
        op = self.makers.get(cond.id)
        match op:
            case tir.Apply() if op.op in NEGATED and _is_integer(op.operands[0].type.dtype):
                left, right = op.operands
                relation = op.op if holds else NEGATED[op.op]
                first, second = self.of(left), self.of(right)
                self.narrow(left, narrowed(first, relation, second))
                self.narrow(right, narrowed(second, SWAPPED[relation], first))
            case tir.Apply() if op.op == ("and" if holds else "or"):
                for operand in op.operands:
                    self.learn(operand, holds)
            case tir.Apply() if op.op in ("not", "invert"):
                self.learn(op.operands[0], not holds)
            case _:
                pass

    def narrow(self, value: Value, interval: Interval | None) -> None:
        if interval is not None:
            self.here[value.id] = interval

    # ------------------------------------------------------------ control

    def op(self, op: lir.Op) -> None:
        match op:
            case tir.If():
                then = self.under(op.then, op.cond, True)
                orelse = self.under(op.orelse, op.cond, False)
                for value, interval in zip(op.results, _joined(then or [], orelse or []), strict=False):
                    self.put(value, interval)
            case tir.For():
                self.counted(op)
            case tir.While():
                self.tested(op)
            case lir.LaneLoop():
                self.lanes(op)
            case tir.Note() | tir.Store() | tir.Barrier() | tir.Launch() | tir.Print() | tir.Assert():
                pass
            case _:
                result = result_of(op)
                if result is not None:
                    self.makers[result.id] = op
                    if _is_integer(result.type.dtype) and not isinstance(result.type, Pointer):
                        self.known[result.id] = self.simple(op, result)

    def counted(self, op: tir.For) -> None:
        self.put(op.index, _counter(self.of(op.start), self.of(op.stop), self.of(op.step)))
        inits = self.all(op.inits)

        def turn() -> list[Interval | None] | None:
            return self.block(op.body)

        again = self.settle(op.carried, inits, turn)
        left = self.loops.pop().left
        for value, interval in zip(op.results, _joined(_joined(inits, again), left), strict=True):
            self.put(value, interval)

    def tested(self, op: tir.While) -> None:
        if not isinstance(op.test.end, tir.Condition):
            raise InternalError("the test of a while ends in its condition", op)
        cond = op.test.end.value

        def turn() -> list[Interval | None] | None:
            self.block(op.test)
            return self.under(op.body, cond, True)

        self.settle(op.carried, self.all(op.inits), turn)
        left = self.loops.pop().left
        before = dict(self.here)
        self.learn(cond, False)
        ended = self.all(op.carried)
        self.here = before
        for value, interval in zip(op.results, _joined(ended, left), strict=True):
            self.put(value, interval)

    def settle(self, carried: Sequence[Value], inits: list[Interval | None], turn: Turn) -> list[Interval | None]:
        """Walks a loop until what it carries is within what was assumed; then once more with what that gave. Leaves
        the loop's record of the last walk. Gives what its turns hand on."""
        is_deep = len(self.loops) >= DEEP
        state = [
            None if i is None else full(v.type.dtype) if is_deep else i for v, i in zip(carried, inits, strict=True)
        ]
        settled = False
        while True:
            again = self.walk(carried, state, turn)
            grown = _joined(inits, again)
            if settled or is_deep:
                return again
            if all(_within(new, old) for new, old in zip(grown, state, strict=True)):
                settled = True
                if grown == state:
                    return again
                state = grown
            else:
                state = [_widened(v, old, new) for v, old, new in zip(carried, state, grown, strict=True)]
            self.loops.pop()

    def walk(self, carried: Sequence[Value], state: list[Interval | None], turn: Turn) -> list[Interval | None]:
        for value, interval in zip(carried, state, strict=True):
            self.put(value, interval)
        self.loops.append(_Loop())
        return _joined(turn() or [], self.loops[-1].again)

    def lanes(self, op: lir.LaneLoop) -> None:
        self.put(op.counter, (0, op.count - 1))
        values = self.block(op.body) or []
        for value, interval in zip(op.results, values, strict=True):
            self.put(value, interval)
        for fold in op.folds:
            if _is_integer(fold.result.type.dtype):
                interval, exact = _folded(fold.op, self.of(fold.source), op.count, fold.result.type.dtype)
                self.known[fold.result.id] = interval
                self.mark(fold.result, exact)

    # ------------------------------------------------------------ single ops

    def mark(self, result: Value, exact: bool) -> None:
        (self.exact.add if exact else self.exact.discard)(result.id)

    def simple(self, op: lir.Op, result: Value) -> Interval:
        dtype = result.type.dtype
        match op:
            case tir.Const():
                return int(op.value), int(op.value)
            case tir.Index():
                return _place(op)
            case tir.Arange():
                return 0, op.size - 1
            case lir.Thread():
                return 0, BLOCK[0] - 1
            case tir.Apply():
                return self.applied(op)
            case tir.Cast() if _is_integer(op.operand.type.dtype):
                source = self.of(op.operand)
                if dtype.kind == "bool":
                    return compare("ne", source, (0, 0))
                return source if fits(source, dtype) else full(dtype)
            case tir.Broadcast() | tir.Shuffle() | lir.Convert() | lir.LaneGet() | lir.ShareFirst():
                return self.of(op.operand)
            case tir.Scan() | lir.Scan():
                return _scanned(op, self.of(op.operand), dtype)
            case tir.Reduce() | lir.Fold():
                return _folded(op.op, self.of(op.operand), _lanes(op), dtype)[0]
            case tir.Load() if op.other is not None and op.mask is not None and self.of(op.mask) == (0, 0):
                return self.of(op.other)
            case _:
                return full(dtype)

    def applied(self, op: tir.Apply) -> Interval:
        dtype = op.result.type.dtype
        if op.op in NEGATED:
            left, right = op.operands
            return compare(op.op, self.of(left), self.of(right)) if _is_integer(left.type.dtype) else BIT
        if any(not _is_integer(operand.type.dtype) for operand in op.operands):
            return full(dtype)
        interval, exact = apply(op.op, [self.of(operand) for operand in op.operands], dtype)
        self.mark(op.result, exact)
        return interval


def _joined(left: list[Interval | None], right: list[Interval | None]) -> list[Interval | None]:
    """Interval by interval; an empty list is a path that is not taken."""
    if not left or not right:
        return left or right
    return [None if a is None or b is None else join(a, b) for a, b in zip(left, right, strict=True)]


def _within(new: Interval | None, old: Interval | None) -> bool:
    return new is None or old is None or (old[0] <= new[0] and new[1] <= old[1])


def _widened(value: Value, old: Interval | None, new: Interval | None) -> Interval | None:
    """What grows, grows to 0 or to the end of its type."""
    if old is None or new is None:
        return None
    low, high = full(value.type.dtype)
    lower = old[0] if new[0] >= old[0] else (0 if new[0] >= 0 else low)
    return lower, old[1] if new[1] <= old[1] else high


def _counter(start: Interval, stop: Interval, step: Interval) -> Interval:
    """A loop's index in its body."""
    upward = (start[0], max(start[0], stop[1] - 1))
    downward = (min(start[1], stop[0] + 1), start[1])
    if step[0] >= 0:
        return upward
    return downward if step[1] <= 0 else join(upward, downward)


def _place(op: tir.Index) -> Interval:
    match op.kind:
        case "program_id" | "block_id":
            return 0, GRID[op.axis] - 1
        case "num_programs" | "grid_dim":
            return 1, GRID[op.axis]
        case "thread_id":
            return 0, BLOCK[op.axis] - 1
        case "block_dim":
            return 1, BLOCK[op.axis]


def _lanes(op: tir.Reduce | lir.Fold) -> int:
    """How many numbers a fold may join."""
    if isinstance(op, lir.Fold):
        return op.threads * largest(op.operand.type.count) if isinstance(op.operand.type, Vec) else op.lanes
    return op.operand.type.lanes if isinstance(op.operand.type, Tile) else 1


def _scanned(op: tir.Scan | lir.Scan, operand: Interval, dtype: DType) -> Interval:
    """What every lane of a scan is in: the sum of one lane at least."""
    count = op.lanes if isinstance(op, lir.Scan) else op.result.type.lanes if isinstance(op.result.type, Tile) else 1
    total = _folded("sum" if op.op == "cumsum" else op.op, operand, count, dtype)[0]
    return (total[0] if operand[0] < 0 else max(total[0], operand[0]), total[1] if operand[1] > 0 else operand[1])


def _folded(op: str, operand: Interval, count: int, dtype: DType) -> tuple[Interval, bool]:
    if op == "prod":
        if count == 1 or (operand[0] >= 0 and operand[1] <= 1):
            return operand, True
        return ((-1, 1), True) if operand[0] >= -1 and operand[1] <= 1 else (full(dtype), False)
    if op != "sum":
        return operand, True
    total = (min(0, operand[0] * count), max(0, operand[1] * count))
    return (total, True) if fits(total, dtype) else (full(dtype), False)
