"""Which accesses of a tile kernel can move several neighbouring lanes of a thread at once, and how many.

The lanes of such an access are neighbours in memory: its offsets are one number for all lanes plus the lane. Whether
they are aligned is not asked here: the text looks at the address, since arrays may begin anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops
from transpile.lowering.affine import Affine
from transpile.lowering.effects import Access, is_access
from transpile.lowering.layout import Layout, grouped, layout_of
from transpile.typing.types import Tile

BYTES: Final = 16  # of the widest access that a GPU has
# Lanes of up to so many bytes gain by it: measured on an H200, single f64s are as fast as pairs of them.
NARROW: Final = 4
# Of all that is loaded so, a thread holds up to so many lanes at once: more would not stay in registers.
MOST_LANES: Final = 128


@dataclass(frozen=True, slots=True)
class Spread:
    """How the tiles of one kernel lie over its `threads`: in groups of up to `group` lanes, where a tile has them and a
    thread holds at most `most` of its lanes."""

    threads: int
    group: int = 1
    most: int = 0

    def layout(self, shape: tuple[int, ...]) -> Layout:
        lanes = 1
        for size in shape:
            lanes *= size
        held = lanes // self.threads
        group = min(self.group, held) if 1 < held <= self.most else 1
        return grouped(shape, self.threads, group)


def is_contiguous(op: lir.Op, affine: Affine) -> bool:
    """Whether `op` loads or stores a tile whose lanes are neighbours in memory, and could do so for several at once."""
    if not isinstance(op, tir.Load | tir.Store) or op.offsets is None or not isinstance(op.offsets.type, Tile):
        return False
    if op.pointer.type.dtype.kind == "bool":  # each is looked at, whether it is 0
        return False
    if isinstance(op, tir.Load) and op.other is not None and uniform(op.other, affine) is None:
        return False
    return affine.counts_on(op.offsets)


def has_groups(op: lir.Op) -> bool:
    """Whether the lanes of an access lie in groups."""
    if not isinstance(op, tir.Load | tir.Store) or op.offsets is None or not isinstance(op.offsets.type, Tile):
        return False
    return layout_of(op.offsets).group > 1


def uniform(tile: Value, affine: Affine) -> Value | None:
    """The scalar that each lane of `tile` is, if it is made of one."""
    made = affine.makers.get(tile.id)
    if isinstance(made, tir.Broadcast) and not isinstance(made.operand.type, Tile):
        return made.operand
    return None


def group_of(function: tir.Function) -> tuple[int, int]:
    """How many neighbours a thread of a tile kernel should hold at a time, and how many lanes of a tile at most for
    that. One neighbour where several gain nothing: no narrow lanes in any instance, or most accesses go elsewhere; or
    where a tile is scanned, whose blocks of 32 lanes lie side by side in a warp."""
    if any(isinstance(op, tir.Scan) for op in all_ops(function.body)):
        return 1, 0
    accesses = list(_accesses(function))
    affine = Affine.of(function)
    several = [op for op in accesses if is_contiguous(op, affine)]
    widths = [op.pointer.type.dtype.bytes for op in several]
    others = [
        narrowest.bytes
        for own, narrowest in zip(function.types, function.narrowest, strict=True)
        if any(op.pointer.type.dtype is own for op in several)
    ]
    if not any(width <= NARROW for width in (*widths, *others)) or 2 * len(several) < len(accesses):
        return 1, 0
    loads = sum(isinstance(op, tir.Load) for op in several)
    return BYTES // min(NARROW, max(widths)), MOST_LANES // max(1, loads)


def _accesses(function: tir.Function) -> Iterator[Access]:
    """The accesses to tiles."""
    for op in cast("Iterator[lir.Op]", all_ops(function.body)):
        if is_access(op) and op.offsets is not None and isinstance(op.offsets.type, Tile):
            yield op
