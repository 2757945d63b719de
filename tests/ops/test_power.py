"""Powers of floats: exact where the true value is a float, and C's special cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.table import OPERATIONS

INF, NAN = math.inf, math.nan
# x, y, and x to the power y, from C's annex F.10.4.4.
SPECIAL = (
    *((0.0, -3.0, INF), (-0.0, -3.0, -INF), (0.0, -2.5, INF), (-0.0, -2.0, INF), (-0.0, -INF, INF)),
    *((0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0), (0.0, INF, 0.0)),
    *((-1.0, INF, 1.0), (-1.0, -INF, 1.0), (1.0, NAN, 1.0), (1.0, INF, 1.0), (NAN, 0.0, 1.0), (NAN, -0.0, 1.0)),
    *((-8.0, 1 / 3, NAN), (-2.0, 0.5, NAN), (0.5, -INF, INF), (2.0, -INF, 0.0), (0.5, INF, 0.0), (-2.0, INF, INF)),
    *((-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, -0.5, 0.0), (-INF, 3.0, -INF), (-INF, 0.5, INF), (INF, -1.0, 0.0)),
    *((INF, 1e-30, INF), (NAN, 1.0, NAN), (2.0, NAN, NAN), (-1.0, NAN, NAN), (-0.0, NAN, NAN), (-INF, NAN, NAN)),
    *((-2.0, 1e30, INF), (-0.5, 1e30, 0.0), (-1.0, 16777215.0, -1.0), (-1.0, 16777216.0, 1.0), (-2.0, 3.0, -8.0)),
)


def raised(x: object, y: object, dtype: DType) -> list[float]:
    with np.errstate(all="ignore"):
        result = OPERATIONS["pow"].reference(np.array(x, dtype.numpy), np.array(y, dtype.numpy))
    assert result.dtype == np.dtype(dtype.numpy)
    return list(result.tolist())


@pytest.mark.parametrize("dtype", [dtypes.F32, dtypes.F64], ids=str)
def test_special_cases(dtype: DType) -> None:
    x, y, expected = zip(*SPECIAL, strict=True)
    assert [repr(value) for value in raised(x, y, dtype)] == [repr(value) for value in expected]


@pytest.mark.parametrize("dtype", [dtypes.F32, dtypes.F64], ids=str)
def test_powers_that_are_floats_are_exact(dtype: DType) -> None:
    """Whole bases and exponents, scaled by powers of two; and their roots."""
    most = 2 ** (dtype.mantissa + 1)
    whole = [(x, n, x**n) for n in range(2, 34) for x in range(-300, 301) if abs(x**n) <= most]
    scaled = [(x / 8, n, z / 8.0**n) for x, n, z in whole]
    roots = [(z, 1 / n, x) for x, n, z in whole if n in (2, 4, 8, 16) and x >= 0]
    inverse = [(2.0**k, -1.5, 2.0 ** (-k * 1.5)) for k in range(-20, 20, 2)]
    x, y, expected = zip(*whole, *scaled, *roots, *inverse, strict=True)
    assert raised(x, y, dtype) == [float(value) for value in expected]


def test_the_parity_of_the_largest_exponents() -> None:
    odd = float(2**53 - 1)
    assert raised([-1.0] * 4, [odd, odd + 1, -odd, 2.0**52 + 1], dtypes.F64) == [-1.0, 1.0, -1.0, -1.0]
    assert raised([-1.0] * 4, [2.0**22 + 0.5, 2.0**23 + 1, 2.0**24, 2.0**24 - 1], dtypes.F32)[1:] == [-1.0, 1.0, -1.0]
