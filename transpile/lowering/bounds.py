"""Compares a tile that counts on from one number with another number: by how far the two are apart in the thread's
first lane, which is worked out once and is an i32. Each lane would compare 64 bits, two instructions on a GPU, and no
compiler would see that a group of neighbours is inside where its last lane is.

`first + further < end` is `further < end - first`: where no lane wraps, and with the difference cut to what `further`
can be, so that it does not wrap either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from transpile import dtypes
from transpile.ir import lir, tir
from transpile.ir.rename import Ids
from transpile.ir.tir import Value
from transpile.lowering.affine import Affine
from transpile.lowering.groups import uniform
from transpile.lowering.intervals import NEGATED, SWAPPED, Interval
from transpile.lowering.layout import layout_of
from transpile.typing.types import Scalar, Tile

FAR: Final = 1 << 62  # no number below it wraps when the lanes of a tile are added


@dataclass(frozen=True, slots=True)
class Comparison:
    """Lanes `<relation> number`, of a tile that counts on from its first lane."""

    counted: Value
    relation: str
    number: Value

    @property
    def least(self) -> int:
        """What stands for every number that is further down than the first lane."""
        return 0 if self.relation in ("lt", "ge") else -1


def comparison(op: lir.Op, affine: Affine, known: Mapping[int, Interval]) -> Comparison | None:
    """What `op` is as one, or None; `known` are the ranges of the function's integers."""
    if not isinstance(op, tir.Apply) or op.op not in NEGATED or op.operands[0].type.dtype is not dtypes.I64:
        return None
    for counted, other, relation in (
        (op.operands[0], op.operands[1], op.op),
        (op.operands[1], op.operands[0], SWAPPED[op.op]),
    ):
        number = uniform(other, affine)
        if number is not None and _counts_on(counted, affine, known):
            return Comparison(counted, relation, number)
    return None


def _counts_on(tile: Value, affine: Affine, known: Mapping[int, Interval]) -> bool:
    """Whether its lanes lie in groups, are one number and the lane, and none of them wraps. Beside f64, which lies in
    single lanes, masks take no time."""
    if not isinstance(tile.type, Tile) or layout_of(tile).group == 1:
        return False
    low, high = known.get(tile.id, (-FAR, FAR))
    return affine.counts_on(tile) and low > -FAR and high < FAR


def bound(compared: Comparison, first: Value, number: Value, ids: Ids, out: list[lir.Op]) -> Value:
    """How far `number` is above `first`, the thread's first lane, as an i32: what is further down than all lanes, or
    further up, is next to them."""
    assert isinstance(compared.counted.type, Tile)

    def apply(name: str, *operands: Value, called: str = "") -> Value:
        made = ids.fresh(Scalar(dtypes.I64), called)
        out.append(tir.Apply(made, name, operands))
        return made

    def moved(by: int) -> Value:
        if by == 0:
            return first
        distance = ids.fresh(Scalar(dtypes.I64))
        out.append(tir.Const(distance, abs(by)))
        return apply("add" if by > 0 else "sub", first, distance)

    inside = apply("maximum", number, moved(compared.least))
    limit = apply("minimum", inside, moved(compared.counted.type.lanes), called="limit")
    result = ids.fresh(Scalar(dtypes.I32), "bound")
    out.append(tir.Cast(result, apply("sub", limit, first)))
    return result
