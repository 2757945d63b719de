"""Runs blocks of TIR in frames. Control flow parts the instances of a frame and brings them together again (`control`);
everything else is one NumPy operation on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.ir.walk import blocks_of, end_values, operands_of, results_of
from transpile.ops.convert import convert
from transpile.ops.reduce import halve
from transpile.ops.table import OPERATIONS, REDUCTIONS
from transpile.reference import access, control, threads
from transpile.reference.frame import Batch, Call, Frame, Held, gather
from transpile.reference.memory import Array, Buffer, Pointers
from transpile.typing.types import Pointer, Tile


@dataclass(frozen=True, slots=True)
class Exit:
    """Instances that have come to the end of a block: its terminator (not `Return`), and the values that this names."""

    end: tir.Terminator
    frame: Frame
    values: tuple[Held, ...]


class Program:
    """A module made ready to run: for each block, what is read for the last time by which op."""

    def __init__(self, module: tir.Module) -> None:
        self._functions: Mapping[str, tir.Function] = {function.key: function for function in module.functions}
        self._last_reads: dict[int, tuple[tuple[int, ...], ...]] = {}

    def run(self, function: tir.Function, frame: Frame) -> Held | None:
        """Runs `function`, its parameters bound in `frame`. Gives what a device function returns."""
        if self.block(function.body, frame):
            raise InternalError("a function ends in a return", function.key)
        if function.result is None:
            return None
        index, values = gather(frame.call.returned, frame.size)
        if index is not None:
            raise InternalError("every instance returns", function.key)
        return values[0]

    def block(self, block: tir.Block, frame: Frame) -> list[Exit]:
        """Runs `block` for the instances of `frame`, all of which leave by one of the exits or have returned."""
        entered = frame
        exits: list[Exit] = []
        for op, done in zip(block.ops, self._plan(block), strict=True):
            match op:
                case tir.If():
                    rest = control.run_if(self, op, frame, exits)
                case tir.For():
                    rest = control.run_for(self, op, frame)
                case tir.While():
                    rest = control.run_while(self, op, frame)
                case _:
                    self._op(op, frame)
                    rest = frame
            if rest is None:
                return exits
            frame = rest
            if done:
                frame.drop(done, entered)
        if isinstance(block.end, tir.Return):
            self._return(block.end, frame)
        else:
            exits.append(Exit(block.end, frame, tuple(frame.held(value) for value in end_values(block.end))))
        return exits

    def _return(self, end: tir.Return, frame: Frame) -> None:
        if end.value is not None:
            root = frame
            while root.parent is not None:
                root = root.parent
            frame.call.returned.append((frame.index_in(root), (frame.held(end.value),)))

    def _op(self, op: tir.Op, frame: Frame) -> None:
        match op:
            case tir.Apply():
                operands = [frame.array(value) for value in op.operands]
                frame.values[op.result.id] = OPERATIONS[op.op].reference(*operands)
            case tir.Const():
                dtype = np.dtype(op.result.type.dtype.numpy)
                frame.values[op.result.id] = np.array([op.value], dtype)
            case tir.Load():
                frame.values[op.result.id] = access.load(frame, op)
            case tir.Store():
                access.store(frame, op)
            case tir.Offset():
                frame.values[op.result.id] = frame.pointers(op.pointer).moved(_i64(frame.array(op.index)))
            case tir.Cast():
                frame.values[op.result.id] = convert(frame.array(op.operand), op.result.type.dtype)
            case tir.Broadcast():
                frame.values[op.result.id] = _broadcast(frame.array(op.operand), op)
            case tir.Reduce():
                frame.values[op.result.id] = _reduce(frame.array(op.operand), op)
            case tir.Index():
                frame.values[op.result.id] = _index(frame, op)
            case tir.Arange():
                frame.values[op.result.id] = _arange(op)
            case tir.Call():
                frame.values[op.result.id] = self._call(frame, op)
            case tir.Alloc():
                frame.values[op.result.id] = _alloc(frame, op)
            case tir.Shuffle():
                frame.values[op.result.id] = threads.shuffle(frame, op)
            case tir.Barrier():
                threads.barrier(frame, op)
            case tir.Note():
                pass
            case _:
                raise InternalError("not an operation of a kernel", op)

    def _call(self, frame: Frame, op: tir.Call) -> Held:
        """Runs a device function on the scalars of the instances, or on each lane of their tiles."""
        function = self._functions[op.function]
        operands = [frame.array(value) for value in op.operands]
        shape = np.broadcast_shapes(*(operand.shape for operand in operands)) if operands else (1,)
        lanes = int(np.prod(shape[1:], dtype=np.int64))
        positions = frame.positions if shape[0] == frame.size else frame.positions[:1]
        call = Call(frame.call.batch, shape[0] * lanes, np.repeat(positions, lanes), lanes)
        inner = Frame(call)
        flat = [
            operand.reshape(1) if operand.size == 1 else np.broadcast_to(operand, shape).reshape(-1)
            for operand in operands
        ]
        inner.bind([parameter.value for parameter in function.parameters], flat)
        found = self.run(function, inner)
        if found is None or isinstance(found, Pointers):
            raise InternalError("a device function returns a scalar", function.key)
        return found.reshape((1,) * len(shape) if found.shape[0] == 1 else shape)

    def _plan(self, block: tir.Block) -> tuple[tuple[int, ...], ...]:
        """For each op, the values of this block that nothing reads after it."""
        found = self._last_reads.get(id(block))
        if found is None:
            found = self._last_reads[id(block)] = _last_reads(block)
        return found


def _last_reads(block: tir.Block) -> tuple[tuple[int, ...], ...]:
    last: dict[int, int] = {}
    defined: set[int] = set()
    for place, op in enumerate(block.ops):
        for value in results_of(op):
            defined.add(value.id)
            last[value.id] = place
        for one in _reads(op):
            last[one] = place
    kept = {value.id for value in end_values(block.end)}
    done: list[list[int]] = [[] for _ in block.ops]
    for one, place in last.items():
        if one in defined and one not in kept:
            done[place].append(one)
    return tuple(tuple(ids) for ids in done)


def _reads(op: tir.Op) -> set[int]:
    """Every value that an op and the blocks inside it read."""
    found = {value.id for value in operands_of(op)}
    for block in blocks_of(op):
        found.update(value.id for value in end_values(block.end))
        for inner in block.ops:
            found |= _reads(inner)
    return found


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
    if op.space == "local":
        return Pointers((Buffer.local(name, kind.dtype, op.count, frame.call.size),), None)
    batch = _batch(frame)
    buffer = batch.shared.get(op.result.id)
    if buffer is None:
        buffer = batch.shared[op.result.id] = Buffer.shared(name, kind.dtype, op.count, batch.count)
    return Pointers((buffer,), None)


def _batch(frame: Frame) -> Batch:
    if frame.call.batch is None:
        raise InternalError("only a launch has programs and threads")
    return frame.call.batch
