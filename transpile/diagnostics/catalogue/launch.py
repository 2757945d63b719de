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
)
