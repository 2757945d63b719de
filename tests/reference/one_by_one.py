"""A second interpreter, of scalar TIR, that runs one program at a time in plain Python: what the first is held to.

It knows nothing of frames or arrays: integers are wrapped by hand, control flow is Python's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from transpile.ir import tir
from transpile.ir.walk import end_values


@dataclass
class Run:
    """One program: `values` by id; `memory` is the whole array of each pointer parameter."""

    program: int
    memory: dict[int, list[int]]
    values: dict[int, object] = field(default_factory=dict)

    def block(self, block: tir.Block) -> tuple[tir.Terminator, list[object]]:
        """The terminator that the block comes to, and the values that it names."""
        for op in block.ops:
            left = self.op(op)
            if left is not None:
                return left
        return block.end, [self.values[value.id] for value in end_values(block.end)]

    def op(self, op: tir.Op) -> tuple[tir.Terminator, list[object]] | None:
        match op:
            case tir.Const():
                self.values[op.result.id] = op.value
            case tir.Index():
                self.values[op.result.id] = self.program
            case tir.Apply():
                self.values[op.result.id] = apply(op.op, [self.values[value.id] for value in op.operands])
            case tir.Load():
                self.values[op.result.id] = self.memory[op.pointer.id][self.number(op.offsets)]
            case tir.Store():
                self.memory[op.pointer.id][self.number(op.offsets)] = self.number(op.value)
            case tir.If():
                end, values = self.block(op.then if self.values[op.cond.id] else op.orelse)
                if not isinstance(end, tir.Yield):
                    return end, values
                self.bind(op.results, values)
            case tir.For():
                return self.loop(op, range(*(self.number(bound) for bound in (op.start, op.stop, op.step))))
            case tir.While():
                return self.loop(op, None)
            case _:
                raise AssertionError(op)
        return None

    def loop(self, op: tir.For | tir.While, counts: range | None) -> tuple[tir.Terminator, list[object]] | None:
        carried = [self.values[value.id] for value in op.inits]
        turn = 0
        while True:
            self.bind(op.carried, carried)
            if isinstance(op, tir.While):
                if not self.block(op.test)[1][0]:
                    break
            else:
                assert counts is not None
                if turn >= len(counts):
                    break
                self.values[op.index.id] = counts[turn]
            end, values = self.block(op.body)
            if isinstance(end, tir.Return):
                return end, values
            carried = values
            if isinstance(end, tir.Break):
                break
            turn += 1
        self.bind(op.results, carried)
        return None

    def bind(self, names: tuple[tir.Value, ...], values: list[object]) -> None:
        for name, value in zip(names, values, strict=True):
            self.values[name.id] = value

    def number(self, value: tir.Value | None) -> int:
        assert value is not None
        found = self.values[value.id]
        assert isinstance(found, int)
        return found


def apply(op: str, operands: list[object]) -> object:
    numbers = [int(operand) for operand in operands]  # type: ignore[call-overload]
    match op:
        case "add":
            return _wrapped(numbers[0] + numbers[1])
        case "sub":
            return _wrapped(numbers[0] - numbers[1])
        case "mul":
            return _wrapped(numbers[0] * numbers[1])
        case "mod":
            return numbers[0] % numbers[1] if numbers[1] else 0
        case "lt":
            return numbers[0] < numbers[1]
        case "eq":
            return numbers[0] == numbers[1]
    raise AssertionError(op)


def _wrapped(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
