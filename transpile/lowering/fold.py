"""Folds constants in TIR: an operation on constants, or on tiles whose lanes are all one constant, becomes its result,
as the row's `reference` gives it, and so does a comparison that the ranges or the known bits of its operands decide; an
`If` on a constant becomes the block that runs; what nobody reads goes. It changes no value and moves no effect.

No constant NaN is left for a compiler to make: nvcc 13.0 takes `std::isinf(0.0 / 0.0)` for true, if it sees the zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from transpile.dtypes import Number
from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops, end_values, operands_of, result_of, results_of
from transpile.lowering import bits
from transpile.lowering.bits import Bits
from transpile.lowering.prune import is_kept
from transpile.lowering.ranges import ranges
from transpile.lowering.storage import Storage
from transpile.ops.convert import convert, hold, number
from transpile.ops.table import OPERATIONS
from transpile.source import Span
from transpile.typing.types import Scalar, Type


def fold_module(module: tir.Module) -> tir.Module:
    """Every function, folded."""
    return replace(module, functions=tuple(fold_function(function) for function in module.functions))


def fold_function(function: tir.Function) -> tir.Function:
    """`function` with its constants folded and its dead values gone. A launcher's arithmetic is checked: left alone."""
    if function.kind == "launcher":
        return function
    free = 1 + max(
        [each.value.id for each in function.parameters]
        + [value.id for op in all_ops(function.body) for value in _defined(op)],
        default=0,
    )
    statics = _static_constants(function, free)
    folder = _Folder(free + len(statics), {})
    folder.renamed.update({parameter.id: op.result for parameter, op in statics})
    body = folder.block(replace(function.body, ops=(*(op for _, op in statics), *function.body.ops)))
    folded = replace(function, body=_drop_dead(body, set()))
    decided = _decided(folded)
    if not decided:
        return folded
    return replace(folded, body=_drop_dead(_Folder(folder.free, decided).block(folded.body), set()))


def _decided(function: tir.Function) -> dict[int, bool]:
    """The comparisons, not constants yet, that the ranges of their operands decide, by their results."""
    known = ranges(function)
    compared = [op.result.id for op in all_ops(function.body) if isinstance(op, tir.Apply) and op.op in _COMPARED]
    return {place: bool(known[place][0]) for place in compared if place in known and known[place][0] == known[place][1]}


def _static_constants(function: tir.Function, free: int) -> list[tuple[Value, tir.Const]]:
    """Each static parameter of an instance, and the constant that stands for it, numbered from `free`."""
    held = [(each.value, each.static) for each in function.parameters if each.static is not None]
    return [
        (value, tir.Const(replace(value, id=free + place), number, value.span))
        for place, (value, number) in enumerate(held)
    ]


def _defined(op: tir.Op) -> tuple[Value, ...]:
    """Every value that an op defines, inside its own blocks too."""
    match op:
        case tir.For():
            return (op.index, *op.carried, *op.results)
        case tir.While():
            return (*op.carried, *op.results)
        case _:
            return results_of(op)


_COMPARED: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


class _Folder:
    """`free` is the first number that no value of the function has; `decided` what some comparisons come to."""

    def __init__(self, free: int, decided: Mapping[int, bool]) -> None:
        self.free = free
        self.decided = decided
        self.constants: dict[int, Number] = {}  # scalars, and tiles of which every lane is the same
        self.bits: dict[int, Bits] = {}  # of integers of which some are known
        self.numbers: dict[int, int] = {}  # one number for all values that are made alike of the same
        self._made: dict[tuple[object, ...], int] = {}
        self.renamed: dict[int, Value] = {}
        self.storage = Storage()
        self.widened: dict[tuple[int, Type], Value] = {}  # what narrow values became, where that is defined here

    def block(self, block: tir.Block) -> tir.Block:
        seen = dict(self.widened)
        folded = self._inside(block)
        self.widened = seen
        return folded

    def _inside(self, block: tir.Block) -> tir.Block:
        ops: list[tir.Op] = []
        for op in block.ops:
            self._op(op, ops)
            if isinstance(op, tir.If) and (chosen := self._chosen(op)) is not None:
                end = self._splice(op, chosen, ops)
                if end is not None:
                    return tir.Block(tuple(ops), self._end(end))
        return tir.Block(tuple(ops), self._end(block.end))

    def _chosen(self, op: tir.If) -> tir.Block | None:
        """The only block of an `If` that can run, where the condition is constant."""
        known = self.constants.get(self._now(op.cond).id)
        if known is None:
            return None
        return op.then if known else op.orelse

    def _splice(self, op: tir.If, chosen: tir.Block, ops: list[tir.Op]) -> tir.Terminator | None:
        """Puts the chosen block in the place of the `If`. Gives what ends the block around it, if something does."""
        for inner in chosen.ops:
            self._op(inner, ops)
            deeper = self._chosen(inner) if isinstance(inner, tir.If) else None
            if isinstance(inner, tir.If) and deeper is not None:
                end = self._splice(inner, deeper, ops)
                if end is not None:
                    return end
        if not isinstance(chosen.end, tir.Yield):
            return chosen.end
        for result, value in zip(op.results, chosen.end.values, strict=True):
            self._rename(result, self._now(value))
        return None

    def _op(self, op: tir.Op, ops: list[tir.Op]) -> None:
        """Appends `op`, or what it folds to. A folded `If` is left to `block`."""
        match op:
            case tir.If():
                if self._chosen(op) is not None:
                    return
                cond = self._now(op.cond)
                ops.append(replace(op, cond=cond, then=self.block(op.then), orelse=self.block(op.orelse)))
            case tir.For():
                start, stop, step = (self._now(value) for value in (op.start, op.stop, op.step))
                inits = self._all(op.inits)
                ops.append(replace(op, start=start, stop=stop, step=step, inits=inits, body=self.block(op.body)))
            case tir.While():
                inits = self._all(op.inits)
                ops.append(replace(op, inits=inits, test=self.block(op.test), body=self.block(op.body)))
            case tir.Assert() if self.constants.get(self._now(op.cond).id):
                return
            case _:
                op = self._renamed(op)
                self._number(op)
                self._note_bits(op)
                result = result_of(op)
                same = self._made_before(op)
                if same is not None and result is not None:
                    self._rename(result, same)
                    _give_name(ops, same, result.name)
                    return
                value = self._value(op)
                if result is not None and value is not None:
                    self.constants[result.id] = value
                    if isinstance(op, tir.Apply | tir.Cast):
                        op = self._constant(result, value, op.span, ops)
                ops.append(op)

    def _constant(self, result: Value, value: Number, span: Span, ops: list[tir.Op]) -> tir.Op:
        """What makes `result`, each lane of it, the constant."""
        if isinstance(result.type, Scalar):
            return tir.Const(result, value, span)
        one = Value(self.free, Scalar(result.type.dtype), span=span)
        self.free += 1
        ops.append(tir.Const(one, value, span))
        self.constants[one.id] = value
        return tir.Broadcast(result, one, span)

    def _value(self, op: tir.Op) -> Number | None:
        """The number that the op gives, or each lane of it, where that is known."""
        match op:
            case tir.Const():
                return op.value
            case tir.Arange(size=1):
                return 0
            case tir.Broadcast():
                return self.constants.get(op.operand.id)
            case tir.Apply() if all(each.id in self.constants for each in op.operands):
                operands = [hold(self.constants[each.id], each.type.dtype) for each in op.operands]
                with np.errstate(all="ignore"):
                    return number(OPERATIONS[op.op].reference(*operands), op.result.type.dtype)
            case tir.Cast() if op.operand.id in self.constants:
                source, to = op.operand.type.dtype, op.result.type.dtype
                operand = hold(self.constants[op.operand.id], source)
                with np.errstate(all="ignore"):
                    return number(convert(operand, source, to), to)
            case tir.Apply() | tir.Cast():
                return self._truth(op)
            case _:
                return None

    def _truth(self, op: tir.Apply | tir.Cast) -> bool | None:
        """What a comparison comes to whatever its operands are: an integer or bool with itself, or by what is known of
        their ranges and bits. A cast to bool compares with 0."""
        if isinstance(op, tir.Cast):
            is_never_0 = op.result.type.dtype.kind == "bool" and self._bits_of(op.operand).ones != 0
            return True if is_never_0 else None
        is_bits = op.op == "xor" and op.result.type.dtype.kind == "bool"  # C++ has `!=` for it
        if op.op not in _COMPARED and not is_bits:
            return None
        left, right = op.operands
        alike = self.numbers.get(left.id, left.id) == self.numbers.get(right.id, right.id)
        if alike and not left.type.dtype.is_float:
            return op.op in ("eq", "le", "ge")
        if op.op in ("eq", "ne") and self._bits_of(left).differs(self._bits_of(right)):
            return op.op == "ne"
        return self.decided.get(op.result.id)

    def _number(self, op: tir.Op) -> None:
        """Notes what `op` makes, by what it makes it of. The numbers of `_made` are below 0, apart from the values'."""
        match op:
            case tir.Apply():
                made: tuple[object, ...] = (op.op, *(self.numbers.get(each.id, each.id) for each in op.operands))
            case tir.Cast() | tir.Broadcast():
                made = (type(op), op.result.type, self.numbers.get(op.operand.id, op.operand.id))
            case tir.Const():
                made = (op.result.type, repr(op.value))
            case _:
                return
        self.numbers[op.result.id] = self._made.setdefault(made, -1 - len(self._made))

    def _note_bits(self, op: tir.Op) -> None:
        match op:
            case tir.Const() if isinstance(op.value, int):
                known = bits.of_constant(int(op.value))  # a bool is 0 or 1
            case tir.Broadcast():
                known = self._bits_of(op.operand)
            case tir.Apply() if op.result.type.dtype.kind == "int":
                known = bits.apply(op.op, [self._bits_of(each) for each in op.operands])
            case _:
                return
        if known != bits.UNKNOWN:
            self.bits[op.result.id] = known

    def _bits_of(self, value: Value) -> Bits:
        return self.bits.get(value.id, bits.UNKNOWN)

    def _made_before(self, op: tir.Op) -> Value | None:
        """The value that stands for the result of `op` already: an operand, or what a narrow value was widened to."""
        same = self.storage.same(op)
        match op:
            case tir.Apply():
                return self._operand_of(op)
            case tir.Cast(result, operand) if same is None and (
                operand.type.dtype.computes_in or operand.type == result.type
            ):
                made = self.widened.setdefault((operand.id, result.type), result)
                return made if made != result else None
            case _:
                return same

    def _operand_of(self, op: tir.Apply) -> Value | None:
        """The operand that `op` gives as it is: `True and x`, `False or x`, `where` on a constant."""
        known = [self.constants.get(each.id) for each in op.operands]
        match op.op:
            case "where" if known[0] is not None:
                return op.operands[1] if known[0] else op.operands[2]
            case "and" | "or" if op.result.type.dtype.kind == "bool":
                for place, other in ((0, 1), (1, 0)):
                    if known[place] is not None:
                        return op.operands[other if bool(known[place]) == (op.op == "and") else place]
        return None

    def _now(self, value: Value) -> Value:
        return self.renamed.get(value.id, value)

    def _all(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(self._now(value) for value in values)

    def _rename(self, value: Value, into: Value) -> None:
        self.renamed[value.id] = into

    def _end(self, end: tir.Terminator) -> tir.Terminator:
        match end:
            case tir.Return():
                return replace(end, value=self._now(end.value)) if end.value is not None else end
            case tir.Condition():
                return replace(end, value=self._now(end.value))
            case tir.Yield() | tir.Break() | tir.Continue():
                return replace(end, values=self._all(end.values))

    def _renamed(self, op: tir.Op) -> tir.Op:
        """`op` reading the values that stand for its operands now."""
        if not any(value.id in self.renamed for value in operands_of(op)):
            return op
        changes: dict[str, object] = {}
        for name in ("operand", "pointer", "index", "offsets", "mask", "other", "value", "lane", "cond"):
            old = getattr(op, name, None)
            if isinstance(old, Value):
                changes[name] = self._now(old)
        for name in ("operands", "grid", "block", "arguments", "place"):
            several = getattr(op, name, None)
            if isinstance(several, tuple):
                changes[name] = self._all(several)
        return replace(op, **changes)  # type: ignore[arg-type]


def _give_name(ops: list[tir.Op], value: Value, name: str) -> None:
    """Lets a value that stands for a named one have its name, if it has none."""
    for place, op in enumerate(ops):
        if name and not value.name and result_of(op) == value:
            ops[place] = replace(op, result=replace(value, name=name))  # type: ignore[arg-type]


def _drop_dead(block: tir.Block, live: set[int]) -> tir.Block:
    """`block` without the pure ops whose results nobody reads; `live` is read after it, and grows."""
    live.update(value.id for value in end_values(block.end))
    kept: list[tir.Op] = []
    for op in reversed(block.ops):
        match op:
            case tir.If():
                op = replace(op, then=_drop_dead(op.then, live), orelse=_drop_dead(op.orelse, live))
            case tir.For():
                op = replace(op, body=_drop_dead(op.body, live))
            case tir.While():
                body = _drop_dead(op.body, live)
                op = replace(op, test=_drop_dead(op.test, live), body=body)
            case _:
                result = result_of(op)
                is_pure = not isinstance(op, tir.Load | tir.Shuffle) and not is_kept(op)
                if result is not None and is_pure and result.id not in live:
                    continue
        live.update(value.id for value in operands_of(op))
        kept.append(op)
    return tir.Block(tuple(reversed(kept)), block.end)
