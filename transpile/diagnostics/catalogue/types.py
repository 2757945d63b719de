"""Rows of the catalogue: operands and constants."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

TYPES: Final[tuple[Entry, ...]] = (
    Entry(
        code="tile-shape-mismatch",
        title="two tiles of different shapes in one operation",
        explanation="""\
An elementwise operation pairs lanes, so its tiles must have one shape. Only scalars broadcast: a tile of one lane
beside a larger one is refused too. Several sizes may stand in one kernel where reductions join them.""",
        example="""\
from transpile import native, tile


@tile.kernel
def mix(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(64))
    u = t + tile.load(x, tile.arange(32))
    tile.store(y, tile.arange(64), u)
""",
        fix="Load as many lanes, or reduce one tile to a number first.",
    ),
    Entry(
        code="operand-type",
        title="an operator that does not take these element types",
        explanation="""\
`& | ^ ~` take integers or bools, `<<` and `>>` integers. Floats have no bits to speak of in the language, and two
integer types that no third one holds need a cast.""",
        example="""\
from transpile import native, tile


@tile.kernel
def bits(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.load(x, lane) & 1)
""",
        fix="Convert explicitly, `tile.cast(t, int) & 1`, or compare.",
    ),
    Entry(
        code="pointer-arithmetic",
        title="a pointer where a number is wanted",
        explanation="""\
A pointer is moved with `native.offset`, read with a load and written with a store; it is no number and has no truth
value.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def step(x: native.ptr[float]) -> None:
    native.store(x + 1, 0.0)
""",
        fix="`native.offset(x, 1)`.",
    ),
    Entry(
        code="tile-truth",
        title="one truth value of a tile",
        explanation="""\
`if`, `while`, `and`, `or`, `not` and chained comparisons ask for one truth value; a tile of bools has one for each
lane. `&`, `|`, `~` combine tiles of bools, `tile.where` chooses lane by lane, `tile.any` and `tile.all` make one
value.""",
        example="""\
from transpile import native, tile


@tile.kernel
def clip(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    t = tile.load(x, lane)
    if t > 1.0:
        tile.store(x, lane, 1.0)
""",
        fix="`tile.store(x, lane, tile.where(t > 1.0, 1.0, t))`.",
    ),
    Entry(
        code="condition-type",
        title="a mask or a condition that is no bool",
        explanation="The condition of `where` and the mask of a load or store are bools; a number is compared first.",
        example="""\
from transpile import native, tile


@tile.kernel
def odd(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, 1.0, lane % 2)
""",
        fix="`lane % 2 != 0`.",
    ),
    Entry(
        code="constant-range",
        title="a constant that does not fit",
        explanation="""\
Integer arithmetic on literals and constants is exact. Its result must fit the type that it meets: `i64`, or the
type of a storage pointer, parameter or operand beside it.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def big(x: native.ptr[native.i32]) -> None:
    native.store(x, native.load(x) + 5_000_000_000)
""",
        fix="Cast the other operand wider, `native.cast(native.load(x), int)`, or write a smaller number.",
    ),
    Entry(
        code="constant-zero-division",
        title="`//` or `%` by the constant 0",
        explanation="""\
Python raises ZeroDivisionError for it, so it is refused. A divisor that turns out 0 at run time gives 0 for integers
and NaN for floats.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def split(n: int, x: native.ptr[int]) -> None:
    native.store(x, n // 0)
""",
        fix="Divide by something else.",
    ),
    Entry(
        code="constant-shift",
        title="a shift by a negative constant",
        explanation="Python raises ValueError for it. A count that is negative at run time shifts everything out.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def shift(n: int, x: native.ptr[int]) -> None:
    native.store(x, n << -1)
""",
        fix="Shift the other way: `n >> 1`.",
    ),
    Entry(
        code="power-exponent",
        title="`**` of integers with an exponent that is no small constant",
        explanation="""\
`x ** n` with a constant int n from 0 to 64 is squared and multiplied, in the type of x. Any other power is one of
floats. Of two integers Python's result would be an int of any size, or a float where n is negative. A constant and a
launcher, which Python computes too, take no power of floats: there its bits depend on the machine.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def power(n: int, x: native.ptr[int]) -> None:
    native.store(x, native.load(x) ** n)
""",
        fix="Make the base a float, `float(x) ** n`, or multiply in a loop.",
    ),
    Entry(
        code="pointer-choice",
        title="a pointer into one array or another",
        explanation="""\
Which array a pointer belongs to is known before a kernel runs; that is what lets loads and stores be ordered without
asking. Its offset may depend on anything.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def either(b: bool, x: native.ptr[float], y: native.ptr[float]) -> None:
    p = x if b else y
    native.store(p, 1.0)
""",
        fix="Branch around the accesses, or choose between loaded values.",
    ),
    Entry(
        code="cast-type",
        title="a cast to something that is no type",
        explanation="`cast(x, T)` takes `int`, `float`, `bool` or a storage type such as `native.f32` second.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def narrow(n: int, x: native.ptr[float]) -> None:
    native.store(x, native.cast(n, 32))
""",
        fix="`native.cast(n, native.f32)`.",
    ),
)
