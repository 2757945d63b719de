"""Rows of the catalogue: the text of a file."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

_DEEP: Final = """\
from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[int]) -> None:
    tile.store(x, 0, MINUSESn)
"""

SYNTAX: Final[tuple[Entry, ...]] = (
    Entry(
        code="bad-encoding",
        title="bytes that are not text in the encoding of the file",
        explanation="""\
A file is UTF-8 unless its first or second line names another encoding, as for Python itself.""",
        example="""\
# -*- coding: utf-9 -*-
""",
        fix="Save the file as UTF-8; then it needs no coding line.",
    ),
    Entry(
        code="null-character",
        title="a null character in the file",
        explanation="""\
Python refuses a file with null characters. Text saved as UTF-16 is full of them.""",
        example="print(1)  # \0\n",
        fix="Save the file as UTF-8.",
        shown="""\
print("a")  # (a null character here)
""",
    ),
    Entry(
        code="syntax-error",
        title="a file that is not Python",
        explanation="""\
Python cannot read the file; the message is Python's own. Nothing else is checked before it can.""",
        example="""\
x = (1 + 2
""",
        fix="Close the bracket, or whatever the message says.",
    ),
    Entry(
        code="too-deep",
        title="an expression or chain nested too deeply",
        explanation="""\
Compilers walk nests by recursion, Python's as well as this one. Hundreds of levels are refused.""",
        example=_DEEP.replace("MINUSES", "-" * 900),
        fix="Give parts of the expression names of their own, or write a loop.",
        shown=_DEEP.replace("MINUSES", "--- (nine hundred times) ---"),
    ),
    Entry(
        code="unsupported-syntax",
        title="Python that compiled code does not have",
        explanation="""\
Kernels, device functions and launchers are made of assignments, calls, `if`, `for … in range`, `while`, `break`,
`continue`, `return` and expressions on scalars and tiles. Everything else is refused by name.""",
        example="""\
from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    values = [1.0, 2.0]
    tile.store(x, 0, 1.0)
""",
        fix="Each message says what to write instead.",
    ),
)
