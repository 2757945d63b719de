"""Rows of the catalogue: what the reference finds while a kernel runs."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

LAUNCH: Final[tuple[Entry, ...]] = (
    Entry(
        code="out-of-bounds",
        title="an access outside of its array",
        explanation="""\
The reference checks every load and store, after all offsets are added, against the whole array that was passed. An
index below 0 is out of bounds too: it does not count from the end. The message names the program or thread, and the
lane of a tile. Compiled code does not check; there such an access does anything.""",
        example="""\
from transpile import native, tile


@tile.kernel
def clear(x: native.ptr[float]) -> None:
    tile.store(x, tile.program_id() * 32 + tile.arange(32), 0.0)


tile.launch(clear, 2, native.stack_alloc[float](40))
""",
        fix="Pass the length and mask what is beyond it: `tile.store(x, at, 0.0, at < n)`.",
        how="run",
    ),
    Entry(
        code="misaligned",
        title="several elements at an address between",
        explanation="""\
`native.load(p, width=4)` and `native.store(p, (a, b, c, d))` are one access each, from an address that is a multiple of
the size of all elements together. Arrays begin at one, as shared and local arrays do; a part of an array need not. The
reference checks it; compiled code does not, and a GPU stops there.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def shift(x: native.ptr[native.f32]) -> None:
    a, b, c, d = native.load(native.offset(x, 1), width=4)
    native.store(x, (a, b, c, d))


cuda.launch(shift, 1, 1, native.stack_alloc[native.f32](8))
""",
        fix="Load one by one what is not aligned, or give every row a length that is a multiple of 4.",
        how="run",
    ),
)
