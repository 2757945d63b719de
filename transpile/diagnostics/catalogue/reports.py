"""Rows of the catalogue: `print` and `assert`."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

REPORTS: Final[tuple[Entry, ...]] = (
    Entry(
        code="print-form",
        title="a form of a number that not every target writes",
        explanation="""\
What stands behind the colon in an f-string is one of the forms that Python and C write alike: a sign, zeros, a width, a
precision, and `d` of integers (`x`, `X`, `o` too, where they have no sign) or `e`, `f`, `g` of floats.""",
        example="""\
from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    print(f"share {tile.load(x, 0) / n:.1%}")
""",
        fix="Compute what is to be shown, and take one of the forms: `{100.0 * share:.1f}%`.",
    ),
    Entry(
        code="print-value",
        title="a value that print does not show",
        explanation="""\
One program is many threads on a GPU, each with a part of a tile; a line of text is written by one of them. So `print`
shows scalars, at most 24 in a line.""",
        example="""\
from transpile import native, tile


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    print("loaded", tile.load(x, tile.arange(32)))
""",
        fix="Print a number of the tile, such as `tile.max(t)`, or one element of the array: `tile.load(x, i)`.",
    ),
    Entry(
        code="report-per-lane",
        title="a device function that prints or asserts, on a tile",
        explanation="""\
A device function is applied to a tile lane by lane, all lanes at once. What it prints or asserts would be of thousands
of lanes in no order.""",
        example="""\
from transpile import cuda, native, tile


@cuda.device
def root(v: float) -> float:
    assert v >= 0.0
    return v


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, root(tile.load(x, lane)))
""",
        fix="Assert in the kernel, of all lanes: `assert tile.all(t >= 0.0)`.",
    ),
)
