"""The reductions: folds by lane index, halving. The order is part of the language (language.md, Reductions)."""

from __future__ import annotations

from typing import Final

from transpile.ops.operation import Operation, Reduction
from transpile.ops.reference import Array

REDUCTION_ROWS: Final = (
    Reduction(
        name="sum",
        combine="add",
        accumulate="wide",
        any_order_on=("bool", "int", "uint"),
        doc="The sum: in i64 for bools and signed integers, in u64 for unsigned ones, in f32 for narrow floats.",
        spellings=("tile.sum",),
    ),
    Reduction(
        name="prod",
        combine="mul",
        accumulate="wide",
        any_order_on=("bool", "int", "uint"),
        doc="The product, in the type of the sum.",
        spellings=("tile.prod",),
    ),
    Reduction(
        name="max",
        combine="maximum",
        accumulate="same",
        any_order_on=("bool", "int", "uint", "float"),
        doc="The largest lane; any NaN gives NaN.",
        spellings=("tile.max",),
    ),
    Reduction(
        name="min",
        combine="minimum",
        accumulate="same",
        any_order_on=("bool", "int", "uint", "float"),
        doc="The smallest lane; any NaN gives NaN.",
        spellings=("tile.min",),
    ),
    Reduction(
        name="nanmax",
        combine="fmax",
        accumulate="same",
        any_order_on=("bool", "int", "uint", "float"),
        doc="The largest lane that is a number; NaN if none is.",
        spellings=("tile.nanmax",),
    ),
    Reduction(
        name="nanmin",
        combine="fmin",
        accumulate="same",
        any_order_on=("bool", "int", "uint", "float"),
        doc="The smallest lane that is a number; NaN if none is.",
        spellings=("tile.nanmin",),
    ),
    Reduction(
        name="any",
        combine="or",
        accumulate="bool",
        any_order_on=("bool",),
        doc="Whether any lane holds.",
        spellings=("tile.any",),
    ),
    Reduction(
        name="all",
        combine="and",
        accumulate="bool",
        any_order_on=("bool",),
        doc="Whether all lanes hold.",
        spellings=("tile.all",),
    ),
)


def halve(array: Array, axis: int, combine: Operation) -> Array:
    """Folds one axis of a power-of-two size, which is left with size 1: `v = v[:n] + v[n:]` while there are two."""
    size = array.shape[axis]
    before = (slice(None),) * (axis % array.ndim)
    while size > 1:
        size //= 2
        low, high = (*before, slice(0, size)), (*before, slice(size, 2 * size))
        array = combine.reference(array[low], array[high])
    return array
