"""Functions of a tile that are written in the language itself: `typing/composites.py` says what each stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """`gives` a float (`f64` of integers and bools, `f32` of narrow floats) or the number of a lane (`i64`). The first
    of `parameters` is the tile; the others are whole-number constants, 0 where they are left out."""

    name: str
    gives: Literal["float", "lane"]
    stands_for: str
    doc: str
    spellings: tuple[str, ...]
    parameters: tuple[str, ...] = ("x",)


COMPOSITE_ROWS: Final = (
    Composite(
        name="mean",
        gives="float",
        stands_for="`tile.sum(x) / n`",
        doc="The mean of the lanes.",
        spellings=("tile.mean",),
    ),
    Composite(
        name="var",
        gives="float",
        stands_for="`tile.sum(d * d) / (n - correction)` with `d = x - tile.mean(x)`",
        doc="The variance of the lanes in two passes; of a sample, with `correction=1`.",
        spellings=("tile.var",),
        parameters=("x", "correction"),
    ),
    Composite(
        name="argmax",
        gives="lane",
        stands_for="the first lane that is `tile.max(x)`",
        doc="The first lane that holds the largest value; the first NaN, if there is one; +0 is above -0.",
        spellings=("tile.argmax",),
    ),
    Composite(
        name="argmin",
        gives="lane",
        stands_for="the first lane that is `tile.min(x)`",
        doc="The first lane that holds the smallest value; the first NaN, if there is one; -0 is below +0.",
        spellings=("tile.argmin",),
    ),
)
