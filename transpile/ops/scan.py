"""The scans: what a tile comes to as far as each lane. The order is part of the language, as that of a fold is."""

from __future__ import annotations

from typing import Final

from transpile.ops.operation import Operation, Reduction
from transpile.ops.reference import Array

BLOCK: Final = 32  # lanes that are scanned together: as many as a shuffle reaches on every GPU

SCAN_ROWS: Final = (
    Reduction(
        name="cumsum",
        combine="add",
        accumulate="wide",
        any_order_on=("bool", "int", "uint"),
        doc="The sum of each lane and those before it, in the type of the sum.",
        spellings=("tile.cumsum",),
    ),
    Reduction(
        name="cummax",
        combine="maximum",
        accumulate="same",
        any_order_on=("bool", "int", "uint", "float"),
        doc="The largest of each lane and those before it; a NaN stays.",
        spellings=("tile.cummax",),
    ),
)


def running(array: Array, axis: int, combine: Operation) -> Array:
    """Scans one axis of a power-of-two size, by blocks of 32.

    In a block by distance, doubling: `v[d:] = v[:-d] + v[d:]` for d = 1, 2, 4, 8, 16. Then the blocks' last lanes are
    scanned in this same way, and what each gives is joined, from the left, to the lanes of the block that follows.
    """
    import numpy as np

    lanes = np.moveaxis(array, axis, -1)
    size = lanes.shape[-1]
    blocks = lanes.reshape(*lanes.shape[:-1], -1, min(size, BLOCK))
    distance = 1
    while distance < blocks.shape[-1]:
        moved = combine.reference(blocks[..., :-distance], blocks[..., distance:])
        blocks = np.concatenate([blocks[..., :distance], moved], axis=-1)
        distance *= 2
    if size > BLOCK:
        before = running(blocks[..., -1], -1, combine)[..., :-1, None]
        moved = combine.reference(np.broadcast_to(before, blocks[..., 1:, :].shape), blocks[..., 1:, :])
        blocks = np.concatenate([blocks[..., :1, :], moved], axis=-2)
    return np.moveaxis(blocks.reshape(lanes.shape), -1, axis)
