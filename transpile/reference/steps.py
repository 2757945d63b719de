"""Makes one op without blocks into a step: a function that does it for all instances of a frame. What depends on the op
alone is worked out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.ops.convert import convert, hold
from transpile.ops.reduce import halve
from transpile.ops.scan import running
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS
from transpile.reference import access, atomics, reports, threads
from transpile.reference.frame import Batch, Frame, Held
from transpile.reference.memory import Array, Buffer, Pointers
from transpile.typing.types import Pointer, Tile

Step: TypeAlias = Callable[[Frame], None]


def prepare(op: tir.Op) -> Step | None:
    """The step of `op`; None where there is nothing to do."""
    match op:
        case tir.Note():
            return None
        case tir.Store():
            return lambda frame: access.store(frame, op)
        case tir.Pack():
            return _defining(op.result, lambda frame: _pack([frame.array(value) for value in op.operands]))
        case tir.Part():
            return _defining(op.result, lambda frame: frame.array(op.operand)[:, op.place])
        case tir.Atomic():
            return _atomic(op)
        case tir.Barrier():
            return lambda frame: threads.barrier(frame, op)
        case tir.Print():
            return lambda frame: reports.write(frame, op)
        case tir.Assert():
            return lambda frame: reports.check(frame, op)
        case tir.Apply():
            return _apply(op)
        case tir.Const():
            return _fixed(op.result, hold(op.value, op.result.type.dtype))
        case tir.Arange():
            return _fixed(op.result, _arange(op))
        case tir.Load():
            return _defining(op.result, lambda frame: access.load(frame, op))
        case tir.Offset():
            return _defining(op.result, lambda frame: frame.pointers(op.pointer).moved(_i64(frame.array(op.index))))
        case tir.Cast():
            source, to = op.operand.type.dtype, op.result.type.dtype
            return _defining(op.result, lambda frame: convert(frame.array(op.operand), source, to))
        case tir.Broadcast():
            return _defining(op.result, lambda frame: _broadcast(frame.array(op.operand), op))
        case tir.Reduce():
            return _defining(op.result, lambda frame: _reduce(frame.array(op.operand), op))
        case tir.Scan():
            return _defining(op.result, lambda frame: _scan(frame.array(op.operand), op))
        case tir.Index():
            return _defining(op.result, lambda frame: _index(frame, op))
        case tir.Alloc():
            return _defining(op.result, lambda frame: _alloc(frame, op))
        case tir.Shuffle():
            return _defining(op.result, lambda frame: threads.shuffle(frame, op))
        case _:
            raise InternalError("not an operation of a kernel", op)


def _defining(result: tir.Value, compute: Callable[[Frame], Held]) -> Step:
    name = result.id

    def step(frame: Frame) -> None:
        frame.values[name] = compute(frame)

    return step


def _atomic(op: tir.Atomic) -> Step:
    name = None if op.result is None else op.result.id

    def step(frame: Frame) -> None:
        found = atomics.atomic(frame, op)
        if name is not None:
            frame.values[name] = found

    return step


def _fixed(result: tir.Value, held: Array) -> Step:
    name = result.id
    held.flags.writeable = False

    def step(frame: Frame) -> None:
        frame.values[name] = held

    return step


def _apply(op: tir.Apply) -> Step:
    """By arity, since most of a scalar program's time goes by here."""
    name, compute = op.result.id, OPERATIONS[op.op].reference
    match op.operands:
        case (a,):

            def unary(frame: Frame) -> None:
                frame.values[name] = compute(frame.held(a))

            return unary
        case (a, b):

            def binary(frame: Frame) -> None:
                frame.values[name] = compute(frame.held(a), frame.held(b))

            return binary
        case _:
            operands = op.operands

            def several(frame: Frame) -> None:
                frame.values[name] = compute(*[frame.held(value) for value in operands])

            return several


def _pack(parts: list[Array]) -> Array:
    """Side by side along a last axis."""
    return np.stack(np.broadcast_arrays(*parts), axis=1)


def _i64(index: Array) -> Array:
    return index if index.dtype == np.int64 else index.astype(np.int64)


def _broadcast(array: Array, op: tir.Broadcast) -> Array:
    """Axes that repeat stay of length 1."""
    assert isinstance(op.result.type, Tile)
    missing = len(op.result.type.shape) + 1 - array.ndim
    return array.reshape((array.shape[0], *(1,) * missing, *array.shape[1:]))


def _reduce(array: Array, op: tir.Reduce) -> Array:
    assert isinstance(op.operand.type, Tile)
    combine = OPERATIONS[REDUCTIONS[op.op].combine]
    shape = op.operand.type.shape
    folded: Array
    if op.axis is None:
        whole = np.broadcast_to(array, (array.shape[0], *shape)).reshape(array.shape[0], -1)
        folded = halve(whole, 1, combine).reshape(array.shape[0])
    else:
        axis = op.axis + 1
        stretched = (*array.shape[:axis], shape[op.axis], *array.shape[axis + 1 :])
        folded = halve(np.broadcast_to(array, stretched), axis, combine)
    return folded


def _scan(array: Array, op: tir.Scan) -> Array:
    assert isinstance(op.operand.type, Tile)
    whole = np.broadcast_to(array, (array.shape[0], *op.operand.type.shape))
    scanned: Array = running(whole, 1, OPERATIONS[SCANS[op.op].combine])
    return scanned


def _arange(op: tir.Arange) -> Array:
    assert isinstance(op.result.type, Tile)
    shape = [1] * (len(op.result.type.shape) + 1)
    shape[op.axis + 1] = op.size
    return np.arange(op.size, dtype=np.int64).reshape(shape)


def _index(frame: Frame, op: tir.Index) -> Array:
    batch = _batch(frame)
    match op.kind:
        case "program_id" | "block_id":
            return batch.block_index(frame.positions, op.axis)
        case "thread_id":
            return batch.thread_index(frame.positions, op.axis)
        case "num_programs" | "grid_dim":
            return np.array([batch.grid[op.axis]], np.int64)
        case "block_dim":
            return np.array([batch.block[op.axis]], np.int64)


def _alloc(frame: Frame, op: tir.Alloc) -> Held:
    kind = op.result.type
    assert isinstance(kind, Pointer)
    name = op.result.name or "buffer"
    count = op.count if isinstance(op.count, int) else int(frame.array(op.count)[0])
    if op.space == "local":
        return Pointers((Buffer.local(name, kind.dtype, count, frame.call.size),), None)
    batch = _batch(frame)
    buffer = batch.shared.get(op.result.id)
    if buffer is None:
        buffer = batch.shared[op.result.id] = Buffer.shared(name, kind.dtype, count, batch.count)
    return Pointers((buffer,), None)


def _batch(frame: Frame) -> Batch:
    if frame.call.batch is None:
        raise InternalError("only a launch has programs and threads")
    return frame.call.batch
