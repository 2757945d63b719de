"""Takes loads and stores of several neighbours apart, for a target on which one thread walks the others: there the
loop over threads is what becomes vectors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from transpile import dtypes
from transpile.ir import tir
from transpile.ir.rename import Ids
from transpile.ir.tir import Value
from transpile.typing.types import Scalar, Vec


def scalarise(function: tir.Function) -> tir.Function:
    """The same thread kernel, each access of one element."""
    maker = _Scalariser(Ids.after(function))
    return replace(function, body=maker.block(function.body))


@dataclass
class _Scalariser:
    """`loads` are those of several elements, `packs` what is to be stored as one, by the id of the vec."""

    ids: Ids
    loads: dict[int, tir.Load] = field(default_factory=dict)
    packs: dict[int, tuple[Value, ...]] = field(default_factory=dict)

    def block(self, block: tir.Block) -> tir.Block:
        return tir.Block(tuple(made for op in block.ops for made in self._op(op)), block.end)

    def _op(self, op: tir.Op) -> list[tir.Op]:
        match op:
            case tir.If():
                return [replace(op, then=self.block(op.then), orelse=self.block(op.orelse))]
            case tir.For():
                return [replace(op, body=self.block(op.body))]
            case tir.While():
                return [replace(op, test=self.block(op.test), body=self.block(op.body))]
            case tir.Load() if isinstance(op.result.type, Vec):
                self.loads[op.result.id] = op  # its parts follow at once
                return []
            case tir.Part():
                load = self.loads[op.operand.id]
                pointer, made = self._moved(load.pointer, op.place)
                return [*made, replace(load, result=op.result, pointer=pointer)]
            case tir.Pack():
                self.packs[op.result.id] = op.operands
                return []
            case tir.Store() if isinstance(op.value.type, Vec):
                stores: list[tir.Op] = []
                for place, value in enumerate(self.packs[op.value.id]):
                    pointer, made = self._moved(op.pointer, place)
                    stores += [*made, replace(op, pointer=pointer, value=value)]
                return stores
            case _:
                return [op]

    def _moved(self, pointer: Value, place: int) -> tuple[Value, list[tir.Op]]:
        """The pointer `place` elements on, and what makes it."""
        if place == 0:
            return pointer, []
        index = self.ids.fresh(Scalar(dtypes.I64))
        moved = self.ids.fresh(pointer.type)
        return moved, [tir.Const(index, place), tir.Offset(moved, pointer, index)]
