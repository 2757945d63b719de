"""Runs KIR as it stands, a statement at a time: on the GPU's form each thread is a generator that stops at exchanges.

Slow and strict: a variable that is read before it has a value, an index out of bounds, an `exact` operation that is
not, and exchanges that not all threads reach are errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.lowering_kir.meeting import GROUP, schedule
from tests.lowering_kir.values import Address, Run, WrongError, place_of, places_of, value_of
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ir import kir
from transpile.ops.convert import hold
from transpile.typing.types import Vec


class _BreakError(Exception):
    pass


class _ContinueError(Exception):
    pass


class _ReturnError(Exception):
    def __init__(self, value: Any = None) -> None:
        super().__init__()
        self.value = value


@dataclass
class _Thread:
    """What one thread (or, on the CPU, the one that walks them) sees."""

    machine: Machine
    places: dict[tuple[str, int], int]
    env: dict[str, Any] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)

    def call(self, name: str, operands: Sequence[Any]) -> Any:
        return self.machine.call(name, operands)


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
        schedule(threads)

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
    raise WrongError(f"an exchange where one thread runs alone: {request}")


def _body(thread: _Thread, body: Sequence[kir.Stmt]) -> Run:
    try:
        yield from _block(thread, body)
    except _ReturnError as left:
        return left.value
    return None


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
                env[stmt.var.name] = _copied((yield from value_of(thread, stmt.value)))
            elif isinstance(stmt.var.type, Vec):
                env[stmt.var.name] = [None] * stmt.var.type.count
            else:
                env.pop(stmt.var.name, None)
        case kir.DeclareArray():
            store = thread.shared if stmt.space == "shared" else {}
            if stmt.var.name not in store:
                count = env[stmt.count.name] if isinstance(stmt.count, kir.Var) else stmt.count
                store[stmt.var.name] = _array(stmt.var.type.dtype, count, stmt.zeroed)
            env[stmt.var.name] = Address(store[stmt.var.name])
        case kir.DeclareSlots():
            size = GROUP if stmt.group else 1024
            if stmt.count == 1:
                env[stmt.var.name] = {}
            else:
                env[stmt.var.name] = Address(_array(stmt.var.type.dtype, size * stmt.count, stmt.zeroed))
        case kir.Assign():
            yield from _assign(thread, stmt)
        case kir.Evaluate():
            yield from value_of(thread, stmt.value)
        case kir.If():
            chosen = yield from value_of(thread, stmt.cond)
            yield from _block(thread, stmt.then if chosen else stmt.orelse)
        case kir.For():
            yield from _for(thread, stmt)
        case kir.While():
            while (yield from value_of(thread, stmt.test)):
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
        case kir.Assert():
            if not (yield from value_of(thread, stmt.cond)):
                raise WrongError(f"an assertion failed: {stmt.text}")
        case kir.Break():
            raise _BreakError
        case kir.Continue():
            raise _ContinueError
        case kir.Return():
            raise _ReturnError(None if stmt.value is None else (yield from value_of(thread, stmt.value)))
        case _:
            raise WrongError(f"not a statement of a kernel: {stmt}")


def _turn(thread: _Thread, body: Sequence[kir.Stmt]) -> Run:
    """One turn of a loop; True if it breaks."""
    try:
        yield from _block(thread, body)
    except _ContinueError:
        pass
    except _BreakError:
        return True
    return False


def _for(thread: _Thread, stmt: kir.For) -> Run:
    start = yield from value_of(thread, stmt.start)
    stop = yield from value_of(thread, stmt.stop)
    step = yield from value_of(thread, stmt.step)
    if step == 0:
        return
    if not stmt.counted and stmt.down != (step < 0):
        raise WrongError(f"a loop goes the wrong way: {stmt}")
    for index in range(start, stop, step):
        thread.env[stmt.var.name] = index
        if not stmt.counted:
            if (yield from value_of(thread, stmt.stop)) != stop or (yield from value_of(thread, stmt.step)) != step:
                raise WrongError("a bound changes in its loop")
            if not dtypes.I64.min <= index + step <= dtypes.I64.max:
                raise WrongError("a counter overflows")
        if (yield from _turn(thread, stmt.body)):
            break
        if thread.env[stmt.var.name] != index:
            raise WrongError("a counter is assigned")


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
    value = yield from value_of(thread, stmt.value)
    match stmt.target:
        case kir.Var():
            thread.env[stmt.target.name] = _copied(value)
        case kir.Slot():
            thread.env[stmt.target.var.name][(yield from value_of(thread, stmt.target.index))] = value
        case kir.Element():
            index = yield from value_of(thread, stmt.target.index)
            base = yield from value_of(thread, stmt.target.base)
            if isinstance(base, list):
                base[index] = value
            else:
                base.cells[place_of(base, index)] = value
        case kir.Groups():
            base, places = yield from places_of(thread, stmt.target)
            for place, lane in zip(places, value, strict=True):
                if place is not None:
                    base.cells[place] = lane


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def _array(dtype: DType, count: int, zeroed: bool) -> Any:
    array = np.zeros(count, np.uint8 if dtype is dtypes.BOOL else dtype.held)
    if not zeroed:
        array.view(np.uint8).fill(0xA5)
        if dtype.is_float:
            array[...] = hold(float("nan"), dtype)
    return array
