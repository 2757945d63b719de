"""Runs KIR as it stands, a statement at a time: on the GPU's form each thread is a generator that stops at exchanges.

Slow and strict: a variable that is read before it has a value, an index out of bounds, an `exact` operation that is not,
and exchanges that not all threads reach are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transpile import dtypes
from transpile.dtypes import DType
from transpile.ir import kir
from transpile.ops.convert import convert
from transpile.ops.table import OPERATIONS, REDUCTIONS
from transpile.typing.types import Vec

GROUP = 32
Run = Generator[tuple[Any, ...], Any, Any]


class Wrong(AssertionError):
    """The program under test does something that no emitted program may do."""


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Any = None) -> None:
        super().__init__()
        self.value = value


@dataclass(frozen=True)
class Address:
    """An element of an array; bools are held as bytes."""

    cells: Any
    offset: int = 0


@dataclass
class _Thread:
    """What one thread (or, on the CPU, the one that walks them) sees."""

    machine: Machine
    places: dict[tuple[str, int], int]
    env: dict[str, Any] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)


@dataclass
class Machine:
    """A module on a target. `is_gpu` as the module was lowered."""

    module: kir.Module
    is_gpu: bool

    def run(
        self, key: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any], limit: int = 10**9
    ) -> None:
        """Launches a kernel. Pointer arguments are NumPy arrays or Addresses; static parameters are left out."""
        function = next(function for function in self.module.functions if function.key == key)
        x, y, z = grid
        for number in range(min(x * y * z, limit)):
            where = (number % x, number // x % y, number // (x * y))
            self._block(function, where, (x, y, z), tuple(block), arguments)

    def _block(
        self,
        function: kir.Function,
        where: tuple[int, int, int],
        grid: tuple[int, int, int],
        block: tuple[int, ...],
        arguments: Sequence[Any],
    ) -> None:
        places: dict[tuple[str, int], int] = {}
        for axis in range(3):
            names = ("program_id", "num_programs") if function.kind == "tile" else ("block_id", "grid_dim")
            places[names[0], axis], places[names[1], axis] = where[axis], grid[axis]
            if function.kind == "thread":
                places["block_dim", axis] = block[axis]
        shared: dict[str, Any] = {}
        env = _bound(function.parameters, arguments)
        if not self.is_gpu:
            _finish(_body(_Thread(self, places, dict(env), shared), function.body))
            return
        threads: list[Run] = []
        count = function.threads if function.kind == "tile" else block[0] * block[1] * block[2]
        assert count is not None
        for number in range(count):
            own = dict(places)
            own["lane_thread", 0] = number
            if function.kind == "thread":
                own["thread_id", 0] = number % block[0]
                own["thread_id", 1] = number // block[0] % block[1]
                own["thread_id", 2] = number // (block[0] * block[1])
            threads.append(_body(_Thread(self, own, dict(env), shared), function.body))
        _schedule(threads)

    def call(self, name: str, operands: Sequence[Any]) -> Any:
        function = next(function for function in self.module.functions if function.name == name)
        env = {parameter.var.name: value for parameter, value in zip(function.parameters, operands, strict=True)}
        return _finish(_body(_Thread(self, {}, env), function.body))


def _bound(parameters: Sequence[kir.Parameter], arguments: Sequence[Any]) -> dict[str, Any]:
    given = iter(arguments)
    env: dict[str, Any] = {}
    for parameter in parameters:
        value = parameter.static if parameter.static is not None else next(given)
        env[parameter.var.name] = Address(value) if isinstance(value, np.ndarray) else value
    return env


def _finish(run: Run) -> Any:
    """Runs what exchanges nothing."""
    try:
        request = next(run)
    except StopIteration as stop:
        return stop.value
    raise Wrong(f"an exchange where one thread runs alone: {request}")


def _body(thread: _Thread, body: Sequence[kir.Stmt]) -> Run:
    try:
        yield from _block(thread, body)
    except _Return as left:
        return left.value
    return None


# ---------------------------------------------------------------- threads that meet


def _schedule(threads: list[Run]) -> None:
    waiting: dict[int, tuple[Any, ...]] = {}

    def resume(number: int, value: Any = None) -> None:
        try:
            waiting[number] = threads[number].send(value)
        except StopIteration:
            waiting.pop(number, None)

    for number in range(len(threads)):
        resume(number)
    while waiting:
        if not any(_meet_group(waiting, group, len(threads), resume) for group in range(0, len(threads), GROUP)):
            _meet_block(waiting, len(threads), resume)


def _meet_group(waiting: dict[int, tuple[Any, ...]], start: int, count: int, resume: Callable[..., None]) -> bool:
    members = range(start, min(start + GROUP, count))
    asked = [waiting.get(member) for member in members]
    requests = [request for request in asked if request is not None]
    if len(requests) != len(asked) or any(request[0] not in ("shuffle", "warp") for request in requests):
        return False
    kinds = {request[:2] for request in requests}
    if len(kinds) > 1:
        raise Wrong(f"threads of a group meet at different exchanges: {kinds}")
    for lane, member in enumerate(members):
        if requests[lane][0] == "warp":
            resume(member)
            continue
        _, kind, _, amount = requests[lane]
        source = {"xor": lane ^ (amount % GROUP), "idx": amount % GROUP}.get(kind)
        if source is None:
            source = lane - amount % GROUP if kind == "up" else lane + amount % GROUP
        source = source if 0 <= source < GROUP else lane
        resume(member, requests[source][2])
    return True


def _meet_block(waiting: dict[int, tuple[Any, ...]], count: int, resume: Callable[..., None]) -> None:
    if len(waiting) != count or len({request[0] for request in waiting.values()}) != 1:
        raise Wrong(f"not all threads reach an exchange: {len(waiting)} of {count}, {set(map(str, waiting.values()))}")
    requests = [waiting[number] for number in range(count)]
    value: Any = None
    match requests[0]:
        case ("fold", kir.Fold() as fold, _):
            value = _fold(fold, [request[2] for request in requests])
        case ("share", _):
            value = requests[0][1]
        case ("block",):
            pass
        case request:
            raise Wrong(f"{request} is no exchange of the block")
    for number in range(count):
        resume(number, value)


def _fold(fold: kir.Fold, held: list[Any]) -> Any:
    count = min(fold.lanes, len(held))
    columns = [value if isinstance(value, list) else [value] for value in held[:count]]
    values = [columns[thread][place] for place in range(len(columns[0])) for thread in range(count)]
    if not fold.any_order and len(values) != fold.lanes:
        raise Wrong(f"{len(values)} lanes of {fold.lanes}")
    while len(values) > 1:
        half = len(values) // 2
        pairs = zip(values[:half], values[half:], strict=True)
        values = [_apply(REDUCTIONS[fold.op].combine, pair, fold.dtype) for pair in pairs]
    return values[0]


# ---------------------------------------------------------------- statements


def _block(thread: _Thread, block: Sequence[kir.Stmt]) -> Run:
    for stmt in block:
        yield from _stmt(thread, stmt)


def _stmt(thread: _Thread, stmt: kir.Stmt) -> Run:
    env = thread.env
    match stmt:
        case kir.Comment():
            pass
        case kir.Declare():
            if stmt.value is not None:
                env[stmt.var.name] = _copied((yield from _expr(thread, stmt.value)))
            elif isinstance(stmt.var.type, Vec):
                env[stmt.var.name] = [None] * stmt.var.type.count
            else:
                env.pop(stmt.var.name, None)
        case kir.DeclareArray():
            store = thread.shared if stmt.space == "shared" else {}
            if stmt.var.name not in store:
                store[stmt.var.name] = _array(stmt.var.type.dtype, stmt.count, stmt.zeroed)
            env[stmt.var.name] = Address(store[stmt.var.name])
        case kir.DeclareSlots():
            size = GROUP if stmt.group else 1024
            if stmt.count == 1:
                env[stmt.var.name] = {}
            else:
                env[stmt.var.name] = Address(_array(stmt.var.type.dtype, size * stmt.count, stmt.zeroed))
        case kir.Assign():
            yield from _assign(thread, stmt)
        case kir.If():
            chosen = yield from _expr(thread, stmt.cond)
            yield from _block(thread, stmt.then if chosen else stmt.orelse)
        case kir.For():
            yield from _for(thread, stmt)
        case kir.While():
            while (yield from _expr(thread, stmt.test)):
                if (yield from _turn(thread, stmt.body)):
                    break
        case kir.LaneLoop():
            for number in range(stmt.count):
                env[stmt.var.name] = number
                yield from _block(thread, stmt.body)
        case kir.ThreadLoop() | kir.GroupLoop():
            yield from _walk(thread, stmt)
        case kir.Barrier():
            yield (stmt.scope,)
        case kir.Break():
            raise _Break
        case kir.Continue():
            raise _Continue
        case kir.Return():
            raise _Return(None if stmt.value is None else (yield from _expr(thread, stmt.value)))
        case _:
            raise Wrong(f"not a statement of a kernel: {stmt}")


def _turn(thread: _Thread, body: Sequence[kir.Stmt]) -> Run:
    """One turn of a loop; True if it breaks."""
    try:
        yield from _block(thread, body)
    except _Continue:
        pass
    except _Break:
        return True
    return False


def _for(thread: _Thread, stmt: kir.For) -> Run:
    start = yield from _expr(thread, stmt.start)
    stop = yield from _expr(thread, stmt.stop)
    step = yield from _expr(thread, stmt.step)
    if step == 0:
        return
    if not stmt.counted and stmt.down != (step < 0):
        raise Wrong(f"a loop goes the wrong way: {stmt}")
    for index in range(start, stop, step):
        thread.env[stmt.var.name] = index
        if not stmt.counted:
            if (yield from _expr(thread, stmt.stop)) != stop or (yield from _expr(thread, stmt.step)) != step:
                raise Wrong("a bound changes in its loop")
            if not dtypes.I64.min <= index + step <= dtypes.I64.max:
                raise Wrong("a counter overflows")
        if (yield from _turn(thread, stmt.body)):
            break
        if thread.env[stmt.var.name] != index:
            raise Wrong("a counter is assigned")


def _walk(thread: _Thread, stmt: kir.ThreadLoop | kir.GroupLoop) -> Run:
    x, y, z = (thread.places["block_dim", axis] for axis in range(3))
    count = x * y * z
    if isinstance(stmt, kir.GroupLoop):
        for group in range((count + GROUP - 1) // GROUP):
            thread.env[stmt.var.name] = group
            yield from _turn(thread, stmt.body)
        return
    first = 0 if stmt.group is None else thread.env[stmt.group.name] * GROUP
    last = count if stmt.group is None else min(first + GROUP, count)
    for number in range(first, first + 1 if stmt.first else last):
        for axis, value in enumerate((number % x, number // x % y, number // (x * y))):
            thread.places["thread_id", axis] = value
        if stmt.x is not None and stmt.x != thread.places["thread_id", 0]:
            continue
        if stmt.thread is not None:
            thread.env[stmt.thread.name] = number
        if stmt.lane is not None:
            thread.env[stmt.lane.name] = number % GROUP
        yield from _turn(thread, stmt.body)
    for axis in range(3):
        thread.places.pop(("thread_id", axis), None)


def _assign(thread: _Thread, stmt: kir.Assign) -> Run:
    value = yield from _expr(thread, stmt.value)
    match stmt.target:
        case kir.Var():
            thread.env[stmt.target.name] = _copied(value)
        case kir.Slot():
            thread.env[stmt.target.var.name][(yield from _expr(thread, stmt.target.index))] = value
        case kir.Element():
            index = yield from _expr(thread, stmt.target.index)
            base = yield from _expr(thread, stmt.target.base)
            if isinstance(base, list):
                base[index] = value
            else:
                base.cells[_place(base, index)] = value


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def _place(base: Address, index: int) -> int:
    place = base.offset + index
    if not 0 <= place < len(base.cells):
        raise Wrong(f"index {place} of {len(base.cells)}")
    return place


def _array(dtype: DType, count: int, zeroed: bool) -> Any:
    array = np.zeros(count, np.uint8 if dtype is dtypes.BOOL else dtype.numpy)
    if not zeroed:
        array.view(np.uint8).fill(0xA5)
        if dtype.is_float:
            array.fill(np.nan)
    return array


# ---------------------------------------------------------------- expressions


def _expr(thread: _Thread, expr: kir.Expr) -> Run:
    match expr:
        case kir.Lit():
            return _python(np.array(expr.value).astype(expr.dtype.numpy), expr.dtype)
        case kir.Var():
            if expr.name not in thread.env:
                raise Wrong(f"{expr.name} has no value yet")
            return thread.env[expr.name]
        case kir.Place():
            return thread.places[expr.kind, expr.axis]
        case kir.Apply():
            return (yield from _operation(thread, expr))
        case kir.Cast():
            operand = yield from _expr(thread, expr.operand)
            source = np.array([operand]).astype(_dtype_of(expr.operand).numpy)
            return _python(convert(source, expr.dtype)[0], expr.dtype)
        case kir.Element():
            index = yield from _expr(thread, expr.index)
            base = yield from _expr(thread, expr.base)
            value = base[index] if isinstance(base, list) else base.cells[_place(base, index)]
            if value is None:
                raise Wrong(f"lane {index} has no value yet: {expr}")
            return _python(value, expr.dtype)
        case kir.Slot():
            index = yield from _expr(thread, expr.index)
            slots = thread.env[expr.var.name]
            if index not in slots:
                raise Wrong(f"slot {index} of {expr.var.name} has no value yet")
            return slots[index]
        case kir.PointerAdd():
            base = yield from _expr(thread, expr.base)
            return Address(base.cells, base.offset + (yield from _expr(thread, expr.index)))
        case kir.Call():
            operands = []
            for operand in expr.operands:
                operands.append((yield from _expr(thread, operand)))
            return thread.machine.call(expr.function, operands)
        case kir.Shuffle():
            operand = yield from _expr(thread, expr.operand)
            return (yield ("shuffle", expr.kind, operand, (yield from _expr(thread, expr.lane))))
        case kir.Fold():
            source = yield from _expr(thread, expr.source)
            return _fold(expr, [source]) if expr.threads == 1 else (yield ("fold", expr, source))
        case kir.Shared():
            return (yield ("share", (yield from _expr(thread, expr.value))))


def _operation(thread: _Thread, expr: kir.Apply) -> Run:
    if expr.op == "where":
        chosen = yield from _expr(thread, expr.operands[0])
        return (yield from _expr(thread, expr.operands[1] if chosen else expr.operands[2]))
    operands = []
    for operand in expr.operands:
        operands.append((yield from _expr(thread, operand)))
    if expr.exact:
        _check_exact(expr, operands)
    return _apply(expr.op, operands, _dtype_of(expr.operands[0]), expr.dtype)


def _apply(op: str, operands: Sequence[Any], dtype: DType, result: DType | None = None) -> Any:
    arrays = [np.array([operand]).astype(dtype.numpy) for operand in operands]
    with np.errstate(all="ignore"):
        return _python(OPERATIONS[op].reference(*arrays)[0], result or dtype)


def _check_exact(expr: kir.Apply, operands: Sequence[int]) -> None:
    left, *others = operands
    plain: dict[str, Callable[[], int]] = {
        "add": lambda: left + others[0],
        "sub": lambda: left - others[0],
        "mul": lambda: left * others[0],
        "neg": lambda: -left,
        "abs": lambda: abs(left),
        "shl": lambda: left << others[0],
    }
    if expr.op in plain and not expr.dtype.min <= plain[expr.op]() <= expr.dtype.max:
        raise Wrong(f"not exact: {expr.op} of {operands}")
    if expr.op in ("floordiv", "mod") and not (left >= 0 and others[0] > 0):
        raise Wrong(f"not exact: {expr.op} of {operands}")
    if expr.op in ("shl", "shr") and not 0 <= others[0] < expr.dtype.bits:
        raise Wrong(f"not exact: {expr.op} of {operands}")


def _python(value: Any, dtype: DType) -> Any:
    if dtype is dtypes.BOOL:
        return bool(value)
    return int(value) if dtype.is_integer else np.dtype(dtype.numpy).type(value)


def _dtype_of(expr: kir.Expr) -> DType:
    match expr:
        case kir.Place():
            return dtypes.I64
        case kir.Var() | kir.PointerAdd():
            return expr.type.dtype
        case kir.Slot():
            return expr.var.type.dtype
        case _:
            return expr.dtype
