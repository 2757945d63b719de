"""Rows of the catalogue: variables."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

VARIABLES: Final[tuple[Entry, ...]] = (
    Entry(
        code="variable-type",
        title="one name for two kinds of thing",
        explanation="""\
A variable has one type in the whole function. An int that later meets a float is a float from its first assignment
on; a number, a tile and a pointer do not mix under one name.""",
        example="""\
from transpile import native, tile


@tile.kernel
def total(x: native.ptr[float]) -> None:
    acc = 0.0
    for k in range(4):
        acc = acc + tile.load(x, k * 32 + tile.arange(32))
    tile.store(x, tile.arange(32), acc)
""",
        fix="Start it as a tile: `acc = tile.arange(32) * 0.0`.",
    ),
    Entry(
        code="variable-shape",
        title="a tile variable that changes its shape",
        explanation="A variable has one type, and a tile's shape is part of it: what a loop carries keeps its shape.",
        example="""\
from transpile import native, tile


@tile.kernel
def resize(x: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(64))
    t = tile.load(x, tile.arange(32))
    tile.store(x, tile.arange(32), t)
""",
        fix="Give the other tile a name of its own.",
    ),
    Entry(
        code="annotated-type",
        title="a value that an annotated local does not take",
        explanation="""\
`name: T = value` gives a local exactly the type T. Bools become ints and ints floats by themselves; nothing is
narrowed.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def keep(n: int, x: native.ptr[int]) -> None:
    small: native.i32 = n
    native.store(x, small)
""",
        fix="Convert it, `native.cast(n, native.i32)`, or leave the annotation out.",
    ),
    Entry(
        code="tuple-count",
        title="names and values that do not pair",
        explanation="A tuple on the left takes as many values from the right.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def pair(n: int, x: native.ptr[int]) -> None:
    a, b = n, n + 1, n + 2
    native.store(x, a + b)
""",
        fix="Write as many values as names.",
    ),
    Entry(
        code="unbound-name",
        title="a name that has no value yet",
        explanation="A name that a function assigns is its local everywhere in it, also before the assignment.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def early(x: native.ptr[float]) -> None:
    native.store(x, value)
    value = 1.0
""",
        fix="Assign it before it is read.",
    ),
    Entry(
        code="maybe-unbound",
        title="a name that some path leaves without a value",
        explanation="""\
Every path to a use must have assigned the name. A `for` over a range that may be empty may assign nothing; one over
constant bounds that give a turn, or `while True`, is known to run.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def last(n: int, x: native.ptr[int]) -> None:
    for i in range(n):
        found = i * 2
    native.store(x, found)
""",
        fix="Give it a value before the branch or the loop: `found = 0`.",
    ),
)
