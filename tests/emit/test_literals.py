"""Constants read back as the same bits."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from transpile import dtypes
from transpile.emit.literals import integer, real

LARGEST: Final = 0x7F7FFFFF


def as_f32(text: str) -> float:
    """A decimal rounded once to f32, to nearest even, as a compiler does."""
    exact = abs(Fraction(text))
    (near,) = struct.unpack("<I", struct.pack("<f", abs(float(text))))
    around = (max(near - 1, 0), near, min(near + 1, LARGEST))
    best = min(around, key=lambda bits: (abs(Fraction(of_bits(bits)) - exact), bits & 1))
    return math.copysign(of_bits(best), float(text))


def of_bits(bits: int) -> float:
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_an_f32_reads_back(value: float) -> None:
    text = real(value, dtypes.F32)
    assert text.endswith("f")
    assert struct.pack("<f", as_f32(text[:-1])) == struct.pack("<f", value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_an_f64_reads_back(value: float) -> None:
    assert struct.pack("<d", float(real(value, dtypes.F64))) == struct.pack("<d", value)


def test_what_has_no_digits_is_a_macro() -> None:
    assert [real(value, dtypes.F64) for value in (math.inf, -math.inf, math.nan)] == ["INFINITY", "-INFINITY", "NAN"]


def test_a_float_is_never_spelled_as_an_integer() -> None:
    assert real(16777216.0, dtypes.F32) == "16777216.0f"
    assert real(1e22, dtypes.F64) == "1e+22"


def test_the_smallest_integers_have_names() -> None:
    assert integer(dtypes.I64.min, dtypes.I64) == "INT64_MIN"
    assert integer(dtypes.I32.min, dtypes.I32) == "INT32_MIN"
    assert integer(-5, dtypes.I64) == "-5"
    assert [integer(dtype.min, dtype) for dtype in (dtypes.I8, dtypes.U8, dtypes.U32)] == ["INT8_MIN", "0", "0u"]
    assert integer(dtypes.U64.max, dtypes.U64) == "18446744073709551615ull"


def test_narrow_floats_are_their_bits() -> None:
    numbers = {dtype: real(-1.5, dtype) for dtype in dtypes.ALL if dtype.is_narrow_float}
    assert list(numbers.values()) == ["f16{0xbe00}", "bf16{0xbfc0}", "f8e4m3{0xbc}", "f8e5m2{0xbe}"]
    assert [real(math.nan, dtype) for dtype in numbers] == [
        "f16{0x7e00}",
        "bf16{0x7fc0}",
        "f8e4m3{0x7f}",
        "f8e5m2{0x7e}",
    ]
    assert real(math.inf, dtypes.F16) == "f16{0x7c00}"
