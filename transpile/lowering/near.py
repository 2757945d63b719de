"""Takes the rare case of a function out of lane loops: where no lane has it, a loop runs that has no branch, and that
compilers vectorise. For targets where one thread holds every lane; GPUs branch as they run.

`b = sin(a)` of a tile becomes

    far = any(abs(a) >= 65536)
    b = sin(a) if far else sin_near(a)
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

    def block(self, block: tir.Block) -> tir.Block:
        return tir.Block(tuple(made for op in block.ops for made in self._op(op)), block.end)

    def _op(self, op: tir.Op) -> Iterator[tir.Op]:
        match op:
            case tir.If():
                yield replace(op, then=self.block(op.then), orelse=self.block(op.orelse))
            case tir.For():
                yield replace(op, body=self.block(op.body))
            case tir.While():
                yield replace(op, test=self.block(op.test), body=self.block(op.body))
            case tir.Apply(result=Value(type=Tile() as kind)) if OPERATIONS[op.op].near is not None:
                yield from self._apart(op, kind)
            case _:
                yield op

    def _apart(self, op: tir.Apply, kind: Tile) -> Iterator[tir.Op]:
        near = OPERATIONS[op.op].near
        assert near is not None
        limit, limits = self._new(Scalar(kind.dtype)), self._new(kind)
        size, is_far = self._new(kind), self._new(Tile(dtypes.BOOL, kind.shape, kind.layout))
        far = self._new(Scalar(dtypes.BOOL), "is_far")
        yield tir.Const(limit, near.limit(kind.dtype), op.span)
        yield tir.Broadcast(limits, limit, op.span)
        yield tir.Apply(size, "abs", op.operands, op.span)
        yield tir.Apply(is_far, "ge", (size, limits), op.span)
        yield tir.Reduce(far, "any", is_far, None, op.span)
        of_all, of_near = (replace(op, result=self._new(kind), op=name) for name in (op.op, near.name))
        then, orelse = (tir.Block((each,), tir.Yield((each.result,))) for each in (of_all, of_near))
        yield tir.If(far, then, orelse, (op.result,), op.span)
