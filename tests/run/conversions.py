"""Every conversion between two element types: the values at which one can go wrong, and a judge of the results.

`python -m tests.run.conversions` runs them all on this machine's NVIDIA device and on the CPU and tells what differs;
with `--every-f32`, all 2^32 values of f32 as narrow floats, the device against the CPU.

Types of 16 bits or fewer are gone through whole. Of the others, for each type that they become: every number of that
type where it has 16 bits or fewer, every point half way between two of them, and the next numbers on both sides; and
the ends of all types. The judge knows the numbers of a type and their order, and nothing of how one is rounded.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.run.matrix import cast_text, edge_values
from tests.support.bits import array_of, different
from tests.support.device import lacking
from tests.support.everywhere import Step, Target, Text
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert
from transpile.rounding import value_of

Array = NDArray[Any]
LANES: Final = 1024
FLOATS: Final = tuple(dtype for dtype in dtypes.ALL if dtype.is_narrow_float)
INTEGERS: Final = tuple(dtype for dtype in dtypes.ALL if dtype.is_integer)


@cache
def numbers(dtype: DType) -> tuple[Array, Array]:
    """The numbers of a narrow float from 0 up, and their bits."""
    codes = np.arange(1 << (dtype.bits - 1))
    values = np.array([value_of(int(code), dtype) for code in codes])
    finite = np.isfinite(values)
    return values[finite], codes[finite]


@cache
def halves(dtype: DType) -> Array:
    """The points at which rounding to a narrow float changes: half way between neighbours, and beyond the last."""
    values, _ = numbers(dtype)
    steps = np.diff(values, append=2 * values[-1] - values[-2])
    return values + steps / 2


@cache
def values_of(source: DType) -> Array:
    """The values of a type to convert, as the reference holds them; their number is a multiple of LANES."""
    if source.kind == "bool":
        found = np.array([False, True])
    elif source.bits <= 16:
        found = np.arange(1 << source.bits).astype(f"uint{source.bits}").view(source.held)
    elif source.is_integer:
        found = _integers(source)
    else:
        found = _reals(source)
    return np.resize(found, -(-found.size // LANES) * LANES)


def _points() -> Array:
    """Where a conversion of a float may change, all in f64: each is exact there."""
    ends = [float(end) for dtype in INTEGERS for end in (dtype.min, dtype.max + 1)]
    wholes = [float(whole) for whole in range(-300, 300)]
    f32 = [2.0**exponent * (1 + step * 2.0**-24) for exponent in range(-149, 128) for step in (0, 1, 2, 3, 2**24 - 1)]
    parts = [part for dtype in FLOATS for part in (numbers(dtype)[0], halves(dtype))]
    return np.concatenate([*parts, np.array([*ends, *wholes, *f32])])


def _reals(source: DType) -> Array:
    with np.errstate(all="ignore"):
        points = np.unique(_points().astype(source.held))
        kind = points.dtype.type
        around = [points, np.nextafter(points, kind(np.inf)), np.nextafter(points, kind(-np.inf))]
        found = np.concatenate([*around, *(-each for each in around), edge_values(source)])
    payloads = np.random.default_rng(7).integers(0, 256, 256 * source.bytes, dtype=np.uint8).view(source.held)
    return np.concatenate([found, payloads, np.array([np.nan, np.inf, -np.inf, 5e-324, -0.0], kind)])


def _integers(source: DType) -> Array:
    points = [*edge_values(source).tolist(), *(1 << bit for bit in range(source.bits))]
    for dtype in FLOATS:
        points += [int(point) for point in (*numbers(dtype)[0][::3], *halves(dtype)) if point < 2.0**65]
    for digits in (24, 53):  # of f32 and f64
        points += [(1 << bit) + step * (1 << max(bit - digits, 0)) for bit in range(source.bits) for step in range(4)]
    near = {sign * (point + step) for point in points for step in (-1, 0, 1) for sign in (1, -1)}
    return np.array(sorted(each for each in near if source.min <= each <= source.max), source.held)


def judged(values: Array, source: DType, to: DType) -> Array:
    """What a conversion gives, without any code of the product but the values of narrow floats."""
    exact = np.array([value_of(int(bits), source) for bits in values]) if source.is_narrow_float else values
    wide = exact.astype(np.longdouble)  # holds every element of every type
    if source is to:
        return values
    if to.kind == "bool":
        return np.asarray(wide != 0)
    if to.is_narrow_float:
        return _nearest(wide, to)
    if to.is_float:
        return wide.astype(to.held)
    if source.is_float:
        whole = np.where(np.isnan(wide), 0, np.clip(np.trunc(wide), to.min, to.max))
        return whole.astype(to.held)
    return np.array([int(value) % (1 << to.bits) for value in values], f"uint{to.bits}").view(to.held)


def _nearest(wide: Array, to: DType) -> Array:
    """The bits of the nearest number of a narrow float, of two the one with the even bits, by their order alone."""
    magnitude = np.abs(wide)
    _, codes = numbers(to)
    borders = halves(to).astype(np.longdouble)
    place = np.searchsorted(borders, magnitude, side="left")
    is_tie = (place < borders.size) & (magnitude == borders[np.minimum(place, borders.size - 1)])
    place = np.where(is_tie & (place % 2 == 1), place + 1, place)
    beyond = codes[-1] if to.saturates else codes[-1] + 1
    found = np.append(codes, beyond)[np.minimum(place, codes.size)]
    found = found | (np.signbit(wide).astype(np.int64) << (to.bits - 1))
    return np.where(np.isnan(wide), (1 << (to.bits - 1)) - 1, found).astype(to.held)


def mismatches(text: Text, target: Target, source: DType) -> dict[DType, int]:
    """For each type, in how many values the target differs from the reference."""
    values = values_of(source)
    arrays = {"a": array_of(values, source)}
    arrays |= {f"to_{to}": array_of(np.zeros(values.size, to.held), to) for to in dtypes.ALL}
    step = Step(f"cast_{source}", (values.size // LANES,), None, tuple(arrays))
    got = text.run_target(target, [step], arrays)
    found = {}
    for to in dtypes.ALL:
        with np.errstate(all="ignore"):
            expected = array_of(convert(values, source, to), to)
        found[to] = int(different(expected, got[f"to_{to}"]).sum())
    return found


def casts() -> Text:
    return Text(cast_text(LANES), "casts")


EVERY: Final = (
    "from transpile import native, tile\n\n\n@tile.kernel\ndef every("
    + ", ".join(f"to_{to}: native.ptr[native.{to}]" for to in FLOATS)
    + ", x: native.const_ptr[native.f32]) -> None:\n"
    f"    at = tile.program_id() * {LANES} + tile.arange({LANES})\n    v = tile.load(x, at)\n"
    + "".join(f"    tile.store(to_{to}, at, v)\n" for to in FLOATS)
)


def every_f32(chunk: int = 1 << 25) -> None:
    """Prints, as it goes, how many of all values of f32 the device and the CPU convert to other bits."""
    text, done = Text(EVERY, "every"), 0
    targets = (Target("the CPU", "cpu", "cpu"), Target("the device", "cuda", "device"))
    wrong = dict.fromkeys(FLOATS, 0)
    for first in range(0, 1 << 32, chunk):
        arrays: dict[str, Array] = {f"to_{to}": np.zeros(chunk, to.held) for to in FLOATS}
        arrays["x"] = np.arange(first, first + chunk, dtype=np.uint32).view(np.float32)
        step = Step("every", (chunk // LANES,), None, tuple(arrays))
        left, right = (text.run_target(target, [step], arrays) for target in targets)
        for to in FLOATS:
            places = np.flatnonzero(left[f"to_{to}"] != right[f"to_{to}"])
            pair = (array_of(side[f"to_{to}"][places], to) for side in (left, right))
            wrong[to] += int(different(*pair).sum())
        done += chunk
        if done % (1 << 29) == 0:
            counts = ", ".join(f"{to} {count}" for to, count in wrong.items())
            print(f"{done} values of f32; results that differ: {counts}", flush=True)


def main() -> None:
    """Prints, for each source, the number of values and of results that differ."""
    if sys.argv[1:] == ["--every-f32"]:
        every_f32()
        return
    targets = [Target("the CPU", "cpu", "cpu")]
    if not lacking():
        targets += [Target("the device", "cuda", "device"), Target("the HIP text on the device", "hip", "device")]
    text = casts()
    for source in dtypes.ALL:
        counts = {target.name: mismatches(text, target, source) for target in targets}
        wrong = ", ".join(f"{name}: {sum(found.values())}" for name, found in counts.items())
        size = values_of(source).size
        print(f"{source.name:7} {size:8} values to {len(dtypes.ALL)} types; results that differ: {wrong}")
        for name, found in counts.items():
            for to, count in found.items():
                if count:
                    print(f"        {name}: {count} of {source} to {to}")


if __name__ == "__main__":
    main()
