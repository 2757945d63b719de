"""Conversions between all element types, against exact fractions rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.exact import BF16, F8E4M3, F8E5M2, F16, F32, F64, Format, nearest, wrapped
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert, number

FORMATS: Final[dict[str, Format]] = {
    "f16": F16,
    "bf16": BF16,
    "f32": F32,
    "f64": F64,
    "f8e4m3": F8E4M3,
    "f8e5m2": F8E5M2,
}
LARGEST: Final = {"f8e4m3": 448.0, "f8e5m2": 57344.0}  # where a conversion stops
NARROW: Final = (dtypes.F16, dtypes.BF16, dtypes.F8E4M3, dtypes.F8E5M2)
WHOLE: Final = [0, 1, -1, 2, 2047, 2049, 2051, 65504, 65519, 65520, 65521, 16777217, 16777219, -16777217]
LARGE: Final = [
    *(2**31 - 1, -(2**31), 2**31, 2**53 + 1, 2**54 + 2**30 + 1, 2**62 + 2**38 + 1, 2**63 - 1, -(2**63)),
    *(2**63, 2**64 - 1, 2**62 + 2**54 + 1, 2**63 + 2**55, 2**63 + 2**55 + 1, -(2**62) - 2**54 - 1, 255, 128, -128),
]
REAL: Final = [
    0.0,
    -0.0,
    0.4,
    -0.5,
    0.99,
    -1.5,
    2.5,
    1e9,
    -1e9,
    2147483647.0,
    2147483647.5,
    2147483648.0,
    -2147483648.9,
]
EXTREME: Final = [9.3e18, -9.3e18, 2.0**63, -(2.0**63), 1e300, -1e300, 5e-324, math.inf, -math.inf, math.nan]
# A double that is a tie for f16 only after a first rounding to f32, and one that is a tie for f32.
TWICE: Final = [
    1.0 + 2.0**-11 + 2.0**-40,
    1.0 + 2.0**-24 + 2.0**-50,
    65519.999999,
    65520.0,
    2.0**-25,
    2.0**-25 + 2.0**-60,
]


def as_float(value: float, dtype: DType) -> float:
    if isinstance(value, float) and (math.isnan(value) or value == 0.0):
        return value
    found = value if isinstance(value, float) and math.isinf(value) else nearest(Fraction(value), FORMATS[dtype.name])
    largest = LARGEST.get(dtype.name, math.inf)
    return math.copysign(min(abs(found), largest), found)


def as_int(value: float, dtype: DType) -> int:
    if isinstance(value, int):
        return wrapped(value, dtype.bits) if dtype.kind == "int" else value % (1 << dtype.bits)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return dtype.max if value > 0 else dtype.min
    return min(max(math.trunc(value), dtype.min), dtype.max)


def values_of(dtype: DType) -> np.ndarray:
    if dtype.kind == "bool":
        return np.array([False, True])
    if dtype.is_integer:
        return np.array([value for value in WHOLE + LARGE if dtype.min <= value <= dtype.max], dtype.held)
    with np.errstate(all="ignore"):
        return convert(np.array(REAL + EXTREME + TWICE, np.float64), dtypes.F64, dtype)


def numbers(array: np.ndarray, dtype: DType) -> list[float]:
    """What the elements are, as Python holds them."""
    return [number(array[place : place + 1], dtype) for place in range(array.size)]


@pytest.mark.parametrize("to", dtypes.ALL, ids=str)
@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_every_pair_of_types(source: DType, to: DType) -> None:
    values = values_of(source)
    with np.errstate(all="ignore"):
        found = convert(values, source, to)
    assert found.dtype == np.dtype(to.held)
    for value, result in zip(numbers(values, source), numbers(found, to), strict=True):
        given = int(value) if isinstance(value, bool) else value
        if to.kind == "bool":
            assert result is (given != 0)
        elif to.is_integer:
            assert result == as_int(given, to), value
        else:
            assert repr(result) == repr(float(as_float(given, to))), value


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_to_floats_round_once(values: list[int]) -> None:
    array = np.array(values, np.int64)
    for to in (*NARROW, dtypes.F32, dtypes.F64):
        expected = [float(as_float(value, to)) for value in values]
        assert numbers(convert(array, dtypes.I64, to), to) == expected


@given(st.lists(st.floats(), min_size=1))
def test_doubles_to_narrow_floats_round_once(values: list[float]) -> None:
    array = np.array(values, np.float64)
    for to in (*NARROW, dtypes.F32):
        expected = [repr(as_float(value, to)) for value in values]
        with np.errstate(all="ignore"):
            assert [repr(one) for one in numbers(convert(array, dtypes.F64, to), to)] == expected


def test_the_same_type_keeps_the_bits() -> None:
    signalling = np.array([0x7FF0000000000001, 0xFFF8000000000123], np.uint64).view(np.float64)
    assert convert(signalling, dtypes.F64, dtypes.F64).view(np.uint64).tolist() == signalling.view(np.uint64).tolist()
