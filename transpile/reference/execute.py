"""Runs blocks of TIR in frames. Each op is first made into a step, a function of the frame: control flow parts the
instances of a frame and brings them together again (`control`), everything else is one NumPy operation on all of them
(`steps`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.ir.walk import blocks_of, end_values, operands_of, results_of
from transpile.reference import control
from transpile.reference.frame import Call, Frame, Held, gather
from transpile.reference.memory import Pointers
from transpile.reference.steps import Step, prepare


@dataclass(frozen=True, slots=True)
class Exit:
    """Instances that have come to the end of a block: its terminator (not `Return`), and the values that this names."""

    end: tir.Terminator
    frame: Frame
    values: tuple[Held, ...]


# Runs a control op: the frame of the instances that go on after it, or None. Adds those that leave the block.
Turn: TypeAlias = Callable[[Frame, "list[Exit]"], "Frame | None"]


@dataclass(frozen=True, slots=True)
class _Ready:
    """One op, ready to run: a `step`, or a `turn` of control flow; nothing reads the values in `done` after it."""

    step: Step | None
    turn: Turn | None
    done: tuple[int, ...]


class Program:
    """A module made ready to run."""

    def __init__(self, module: tir.Module) -> None:
        self._functions: Mapping[str, tir.Function] = {function.key: function for function in module.functions}
        self._blocks: dict[int, tuple[_Ready, ...]] = {}

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
        ready = self._blocks.get(id(block))
        if ready is None:
            ready = self._blocks[id(block)] = self._prepared(block)
        for op in ready:
            if op.step is not None:
                op.step(frame)
            elif op.turn is not None:
                rest = op.turn(frame, exits)
                if rest is None:
                    return exits
                frame = rest
            if op.done:
                frame.drop(op.done, entered)
        if isinstance(block.end, tir.Return):
            _return(block.end, frame)
        else:
            exits.append(Exit(block.end, frame, tuple(frame.held(value) for value in end_values(block.end))))
        return exits

    def _prepared(self, block: tir.Block) -> tuple[_Ready, ...]:
        reads = _last_reads(block)
        ready = [self._ready(op, done) for op, done in zip(block.ops, reads, strict=True)]
        return tuple(op for op in ready if op.step is not None or op.turn is not None or op.done)

    def _ready(self, op: tir.Op, done: tuple[int, ...]) -> _Ready:
        match op:
            case tir.If():
                return _Ready(None, lambda frame, exits: control.run_if(self, op, frame, exits), done)
            case tir.For():
                return _Ready(None, lambda frame, _: control.run_for(self, op, frame), done)
            case tir.While():
                return _Ready(None, lambda frame, _: control.run_while(self, op, frame), done)
            case tir.Call():
                return _Ready(lambda frame: self._call(frame, op), None, done)
            case _:
                return _Ready(prepare(op), None, done)

    def _call(self, frame: Frame, op: tir.Call) -> None:
        """Runs a device function on the scalars of the instances, or on each lane of their tiles."""
        function = self._functions[op.function]
        operands = [frame.array(value) for value in op.operands]
        shape = np.broadcast_shapes(*(operand.shape for operand in operands)) if operands else (1,)
        lanes = int(np.prod(shape[1:], dtype=np.int64))
        positions = frame.positions if shape[0] == frame.size else frame.positions[:1]
        inner = Frame(Call(frame.call.batch, shape[0] * lanes, np.repeat(positions, lanes), lanes))
        flat = [
            operand.reshape(1) if operand.size == 1 else np.broadcast_to(operand, shape).reshape(-1)
            for operand in operands
        ]
        inner.bind([parameter.value for parameter in function.parameters], flat)
        found = self.run(function, inner)
        if found is None or isinstance(found, Pointers):
            raise InternalError("a device function returns a scalar", function.key)
        frame.values[op.result.id] = found.reshape((1,) * len(shape) if found.shape[0] == 1 else shape)


def _return(end: tir.Return, frame: Frame) -> None:
    if end.value is not None:
        root = frame
        while root.parent is not None:
            root = root.parent
        frame.call.returned.append((frame.index_in(root), (frame.held(end.value),)))


def _last_reads(block: tir.Block) -> tuple[tuple[int, ...], ...]:
    """For each op, the values of this block that nothing reads after it."""
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
