"""Rows of the catalogue: names."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

NAMES: Final[tuple[Entry, ...]] = (
    Entry(
        code="undefined-name",
        title="a name that nothing defines",
        explanation="""\
The name is no local, no name of the file, no import and no builtin of Python.""",
        example="""\
from transpile import cuda, native


SCALE = 2.0


@cuda.kernel
def grow(x: native.ptr[float]) -> None:
    native.store(x, native.load(x) * SCAEL)
""",
        fix="Correct the spelling, import the name or define it.",
    ),
    Entry(
        code="undefined-member",
        title="a name that the language or `math` does not have for kernels",
        explanation="""\
`tile`, `cuda`, `native` and `math` offer compiled code a fixed set of names.""",
        example="""\
from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, tile.aranje(32), 1.0)
""",
        fix="Take the name that the message proposes.",
    ),
    Entry(
        code="host-call",
        title="a call of Python's own function",
        explanation="""\
Compiled code calls what is compiled: the names of the language and functions marked `@cuda.device`, in this file or
imported by name from a file beside it.""",
        example="""\
from transpile import native, tile


def bias(v: float) -> float:
    return v + 0.5


@tile.kernel
def shift(a: float, x: native.ptr[float]) -> None:
    tile.store(x, 0, bias(a))
""",
        fix="Write `@cuda.device` above `bias`, or compute the value outside and pass it.",
    ),
    Entry(
        code="not-a-value",
        title="a function, a type or a module where a value should be",
        explanation="""\
Functions are called, launched or mapped over tiles; types stand in annotations and casts; modules come before a dot.
A call that gives no value, or two, is no operand.""",
        example="""\
from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, tile.program_id, 1.0)
""",
        fix="Call it: `tile.program_id()`.",
    ),
    Entry(
        code="not-callable",
        title="a call of something that is no function",
        explanation="""\
Only functions are called, by their names.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    native.store(x, n(1))
""",
        fix="Multiply with `*`; load with `native.load`.",
    ),
    Entry(
        code="captured-type",
        title="a captured value that is no number",
        explanation="""\
A function captures names of its module, or of the function around it, by value: an int, a float or a bool.""",
        example="""\
from transpile import native, tile

WEIGHTS = [1.0, 2.0]


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    tile.store(x, 0, WEIGHTS)
""",
        fix="Pass an array as an argument, for a `native.const_ptr[float]` parameter.",
    ),
    Entry(
        code="not-static",
        title="a captured value that the text does not give",
        explanation="""\
Commands read a file and never execute it. A constant is assigned once, at the top level, from literals, other
constants, arithmetic, `min max abs len` and what `math` names; it may be imported by name from a file beside it.
Under `python FILE` or `python -m transpile run` any number is captured as it is.""",
        example="""\
import sys

from transpile import native, tile

WIDTH = int(sys.argv[1])


@tile.kernel
def kernel(x: native.ptr[int]) -> None:
    tile.store(x, 0, WIDTH)
""",
        fix="Pass it as an argument, or as a `native.static[int]` parameter where it is a size.",
    ),
    Entry(
        code="assign-captured",
        title="a name read before the function makes it a local",
        explanation="""\
A name that a function assigns anywhere is local in all of it, as in Python, even if the module has one like it.""",
        example="""\
from transpile import native, tile

TOTAL = 0


@tile.kernel
def count(x: native.ptr[int]) -> None:
    TOTAL += 1
    tile.store(x, 0, TOTAL)
""",
        fix="Start a local of another name: `total = TOTAL + 1`.",
    ),
    Entry(
        code="constant-arithmetic",
        title="a constant that Python itself would refuse",
        explanation="""\
Constants are computed exactly. What Python has no value for has none here.""",
        example="""\
from transpile import native, tile

STEP = 1.5 << 2


@tile.kernel
def kernel(x: native.ptr[int]) -> None:
    tile.store(x, 0, STEP)
""",
        fix="Correct the constant.",
    ),
    Entry(
        code="recursion",
        title="a device function that calls itself",
        explanation="""\
Device functions are inlined; a call that leads back to its own function would never end.""",
        example="""\
from transpile import cuda, native


@cuda.device
def factorial(n: int) -> int:
    return 1 if n < 2 else n * factorial(n - 1)
""",
        fix="Write a loop.",
    ),
    Entry(
        code="nested-kernel",
        title="a kernel inside a function, a class or another statement",
        explanation="""\
The values around a nested kernel exist only when the program runs. `python FILE` and `python -m transpile run FILE`
run such kernels; what reads only the text refuses them.""",
        example="""\
from transpile import native, tile


def make(scale: float) -> object:
    @tile.kernel
    def kernel(x: native.ptr[float]) -> None:
        tile.store(x, 0, scale)

    return kernel
""",
        fix="Move the kernel to the top level and pass `scale` as an argument.",
    ),
    Entry(
        code="duplicate-function",
        title="a compiled function whose name is bound twice",
        explanation="""\
A compiled function is a symbol of the built module, so that its name means one thing in its file.""",
        example="""\
from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, 2.0)
""",
        fix="Give one of them another name.",
    ),
    Entry(
        code="kernel-elsewhere",
        title="a launcher of kernels from another file",
        explanation="""\
A built module holds the kernels of one file. Device functions and constants may come from others, kernels may not.""",
        example="""\
from _fills import fill

from transpile import native, tile


def run(n: int, x: native.ptr[float]) -> None:
    tile.launch(fill, 1, n, x)
""",
        fix="Write the launcher in the file of its kernels.",
    ),
    Entry(
        code="no-source",
        title="a function without text",
        explanation="""\
Functions are compiled from their text. What is typed into a prompt or made by `exec` has none.""",
        example="""\
from transpile import native, tile

text = '''
@tile.kernel
def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
'''
exec(text)
tile.launch(fill, 1, native.stack_alloc[float](1))
""",
        fix="Write the function in a file.",
        how="run",
    ),
    Entry(
        code="source-changed",
        title="a file that changed after it was loaded",
        explanation="""\
Python runs what the file said when it was loaded; compiling what it says now would be another program.""",
        example="""\
import pathlib
import runpy
import tempfile

from transpile import native, tile

TEXT = '''from transpile import native, tile

@tile.kernel
def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, VALUE)
'''

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "fills.py")
    path.write_text(TEXT.replace("VALUE", "1.0"))
    fill = runpy.run_path(str(path))["fill"]
    path.write_text(TEXT.replace("VALUE", "2.5"))
    tile.launch(fill, 1, native.stack_alloc[float](1))
""",
        fix="Start the program again.",
        how="run",
    ),
    Entry(
        code="undecorated",
        title="a kernel made without its decorator",
        explanation="""\
The kind of a function is read from its decorator.""",
        example="""\
from transpile import native, tile


def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)


tile.launch(tile.kernel(fill), 1, native.stack_alloc[float](1))
""",
        fix="Write `@tile.kernel` above the `def`.",
        how="run",
    ),
)
