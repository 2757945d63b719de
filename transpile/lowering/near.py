"""Takes the rare case of a function out of lane loops: where no lane has it, a loop runs that has no branch, and that
compilers vectorise. For targets where one thread holds every lane; GPUs branch as they run.

`b = sin(a)` of a tile becomes

    large = sum(abs(a) >= 65536)
    b = sin(a) if large != 0 else sin_near(a)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from transpile import dtypes
from transpile.ir import tir
from transpile.ir.rename import Ids
from transpile.ir.tir import Value
from transpile.ops.table import OPERATIONS
from transpile.typing.types import Scalar, Tile


def take_apart(function: tir.Function) -> tir.Function:
    """The same program."""
    return replace(function, body=_Taker(Ids.after(function)).block(function.body))


class _Taker:
    def __init__(self, ids: Ids) -> None:
        self._new = ids.fresh
        self._known: dict[tuple[int, float], Value] = {}  # by operand and limit: whether a lane is as large

    def block(self, block: tir.Block) -> tir.Block:
        outside = self._known
        self._known = dict(outside)
        ops = tuple(made for op in block.ops for made in self._op(op))
        self._known = outside
        return tir.Block(ops, block.end)

    def _op(self, op: tir.Op) -> Iterator[tir.Op]:
        match op:
            case tir.If():
                yield replace(op, then=self.block(op.then), orelse=self.block(op.orelse))
            case tir.For():
                yield replace(op, body=self.block(op.body))
            case tir.While():
                yield replace(op, test=self.block(op.test), body=self.block(op.body))
            case tir.Apply(result=Value(type=Tile() as kind)) if (near := OPERATIONS[op.op].near) is not None:
                key = op.operands[0].id, near.limit(kind.dtype)
                if key not in self._known:
                    self._known[key] = self._new(Scalar(dtypes.BOOL), "is_large")
                    yield from self._asked(op, kind, key[1], self._known[key])
                of_all, of_near = (replace(op, result=self._new(kind), op=name) for name in (op.op, near.name))
                then, orelse = (tir.Block((each,), tir.Yield((each.result,))) for each in (of_all, of_near))
                yield tir.If(self._known[key], then, orelse, (op.result,), op.span)
            case _:
                yield op

    def _asked(self, op: tir.Apply, kind: Tile, number: float, is_large: Value) -> Iterator[tir.Op]:
        """Whether the operand of `op` is as large as `number` in any lane: counted, which compilers vectorise."""
        limit, limits, size = self._new(Scalar(kind.dtype)), self._new(kind), self._new(kind)
        lanes, ones = (self._new(Tile(dtype, kind.shape, kind.layout)) for dtype in (dtypes.BOOL, dtypes.I64))
        count, zero = (self._new(Scalar(dtypes.I64), name) for name in ("large", ""))
        yield tir.Const(limit, number, op.span)
        yield tir.Broadcast(limits, limit, op.span)
        yield tir.Apply(size, "abs", op.operands, op.span)
        yield tir.Apply(lanes, "ge", (size, limits), op.span)
        yield tir.Cast(ones, lanes, op.span)
        yield tir.Reduce(count, "sum", ones, None, op.span)
        yield tir.Const(zero, 0, op.span)
        yield tir.Apply(is_large, "ne", (count, zero), op.span)
