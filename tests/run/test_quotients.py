"""A tile divided by one number gives on every target the bits of `/`, also where a GPU multiplies by its reciprocal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest

from tests.run.matrix import edge_values
from tests.support.bits import explain, same_bits
from tests.support.everywhere import Step, Target, Text, check_everywhere
from transpile import dtypes
from transpile.ops.divide import reciprocal

LANES: Final = 8192
TEXT: Final = Text(
    f"""
from transpile import native, tile


@tile.kernel
def single(a: native.const_ptr[native.f32], b: native.const_ptr[native.f32], out: native.ptr[native.f32]) -> None:
    lane = tile.arange({LANES})
    pid = tile.program_id()
    tile.store(out, pid * {LANES} + lane, tile.load(a, lane) / tile.load(b, pid))


@tile.kernel
def double(a: native.const_ptr[float], b: native.const_ptr[float], out: native.ptr[float]) -> None:
    lane = tile.arange({LANES})
    pid = tile.program_id()
    tile.store(out, pid * {LANES} + lane, tile.load(a, lane) / tile.load(b, pid))


@tile.kernel
def in_a_sum(a: native.const_ptr[float], out: native.ptr[float]) -> None:
    v = tile.load(a, tile.arange(1024))
    tile.store(out, tile.arange(1024), v * v / tile.sum(v) + v / 3.0 - v / 0.25)


@tile.kernel
def few(a: native.const_ptr[native.f32], b: native.f32, out: native.ptr[native.f32]) -> None:
    tile.store(out, tile.arange(512), tile.load(a, tile.arange(512)) / b)


@tile.kernel(fast_math=True)
def fast(a: native.const_ptr[float], b: float, out: native.ptr[float]) -> None:
    tile.store(out, tile.arange(2048), tile.load(a, tile.arange(2048)) / b)
""",
    "quotients",
)


def numbers(dtype: dtypes.DType, count: int, seed: int) -> Any:
    """Numbers of any bits, many of them at an end of their exponents or fractions."""
    source = np.random.default_rng(seed)
    fraction, high = dtype.mantissa, (1 << dtype.exponent) - 1
    ends = [0, 1, 2, (1 << fraction) - 1, (1 << fraction) - 2, 1 << (fraction - 1)]
    fractions = np.where(
        source.random(count) < 0.4, source.choice(ends, count), source.integers(0, 1 << fraction, count)
    )
    middle = high // 2 + source.integers(-3, 4, count)
    outer = np.where(source.random(count) < 0.5, source.integers(0, 60, count), high - source.integers(0, 60, count))
    exponents = np.choose(source.integers(0, 3, count), [middle, outer, source.integers(0, high + 1, count)])
    bits = (source.integers(0, 2, count) << dtype.exponent | exponents) << fraction | fractions
    return bits.astype(f"uint{dtype.bits}").view(dtype.numpy)


@pytest.mark.parametrize(("kernel", "dtype"), [("single", dtypes.F32), ("double", dtypes.F64)], ids=str)
def test_quotients_are_those_of_division(kernel: str, dtype: dtypes.DType, targets: Sequence[Target]) -> None:
    """Ends of the range of what a reciprocal is taken of, and their neighbours, are among the divisors."""
    least = np.finfo(dtype.numpy).tiny
    ends = np.array([least, 1 / least], dtype.numpy)
    ends = np.concatenate([ends, np.nextafter(ends, ends.dtype.type(0)), np.nextafter(ends, ends.dtype.type(np.inf))])
    edges = edge_values(dtype)
    a = np.concatenate([edges, numbers(dtype, LANES - len(edges), 1)])
    b = np.concatenate([edges, ends, -ends, numbers(dtype, 16, 2)])
    arrays = {"a": a, "b": b, "out": np.zeros(len(b) * LANES, dtype.numpy)}
    found = check_everywhere(TEXT, [Step(kernel, (len(b),), None, ("a", "b", "out"))], arrays, targets)["out"]
    with np.errstate(all="ignore"):
        expected = (a[None, :] / b[:, None]).ravel()
    assert same_bits(expected, found), explain("out", expected, found, "division", "the reference")


def test_a_quotient_may_meet_a_sum(targets: Sequence[Target]) -> None:
    arrays = {"a": np.random.default_rng(3).standard_normal(1024), "out": np.zeros(1024)}
    check_everywhere(TEXT, [Step("in_a_sum", (1,), None, ("a", "out"))], arrays, targets)


def test_a_reciprocal_is_taken_where_it_pays() -> None:
    gpu, cpu = TEXT.emitted("cuda"), TEXT.emitted("cpu")
    assert "divided" not in cpu
    of_sum = gpu[gpu.index("\nin_a_sum(") : gpu.index("\nfew(")]
    assert of_sum.count("divided(") == 2, of_sum  # not by 0.25
    of_fast = gpu[gpu.index("\nfast(") : gpu.index("\nstruct xyz")]
    of_few = gpu[gpu.index("\nfew(") : gpu.index("\nfast(")]
    assert "divided" not in of_fast
    assert "divided" not in of_few
    assert "/ b" in of_few


def test_the_way_to_a_quotient_is_exact() -> None:
    """Of all fractions of few bits, in exact arithmetic: what docs/decisions/017 proves of any number of them."""
    for bits in range(2, 8):
        for b in range(1 << (bits - 1), 1 << bits):
            inverse = nearest(Fraction(1, b), bits)
            for a in range(1 << (bits - 1), 1 << bits):
                first = nearest(a * inverse, bits)
                rest = nearest(a - first * b, bits)
                assert nearest(first + rest * inverse, bits) == nearest(Fraction(a, b), bits), (a, b)


def nearest(value: Fraction, bits: int) -> Fraction:
    """Rounded to so many bits, to even."""
    if value == 0:
        return value
    unit = Fraction(1)
    while abs(value) >= unit * (1 << bits):
        unit *= 2
    while abs(value) < unit * (1 << (bits - 1)):
        unit /= 2
    return round(value / unit) * unit


def test_a_reciprocal_is_of_normal_numbers() -> None:
    with np.errstate(all="ignore"):
        given = np.array([2.0, 0.0, np.inf, np.nan, 1e-310, 2.0**1023, -(2.0**-1022), 2.0**1022])
        np.testing.assert_array_equal(
            reciprocal(given), [0.5, np.nan, np.nan, np.nan, np.nan, np.nan, -(2.0**1022), 2.0**-1022]
        )
