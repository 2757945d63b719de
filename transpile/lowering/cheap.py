"""Which tiles are worked out again where they are read rather than kept between loops."""

from __future__ import annotations

from typing import Final

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.typing.types import Tile

CHEAP_OPS: Final = frozenset(
    ("add", "sub", "mul", "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "invert", "not")
)
CHEAP_COST: Final = 6


def held(value: Value) -> int:
    """How many lanes of a tile a thread holds; 0 of a scalar."""
    kind = value.type
    return kind.layout.registers if isinstance(kind, Tile) and kind.layout is not None else 0


class Cheap:
    """An arange, a broadcast scalar, and a little integer work on these. Tiles of one lane a thread are never
    counted: they are kept for nothing."""

    def __init__(self) -> None:
        self.cost: dict[int, int] = {}

    def __contains__(self, value: Value) -> bool:
        return value.id in self.cost

    def visit(self, op: lir.Op) -> None:
        """Notes whether the result of `op` is cheap; its operands were visited before."""
        result = result_of(op)
        if result is None or held(result) <= 1:
            return
        tiles = [value for value in operands_of(op) if isinstance(value.type, Tile)]
        if not _is_cheap(op, result) or any(value.id not in self.cost for value in tiles):
            return
        cost = sum(self.cost[value.id] for value in tiles) + (1 if tiles else 0)
        if cost <= CHEAP_COST:
            self.cost[result.id] = cost


def _is_cheap(op: lir.Op, result: Value) -> bool:
    match op:
        case tir.Arange() | tir.Broadcast():
            return True
        case tir.Apply():
            return op.op in CHEAP_OPS and not op.operands[0].type.dtype.is_float
        case tir.Cast():
            return not op.operand.type.dtype.is_float and not result.type.dtype.is_float
        case _:
            return False
