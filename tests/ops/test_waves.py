"""sin, cos, tanh, erf and gelu: near the true values where that is hard, and exact where there is one right answer.

`python -m tests.exhaustive` tries every f32; here are the arguments that were chosen against the algorithms.
"""

from __future__ import annotations

import math
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.table import OPERATIONS

INF, NAN = math.inf, math.nan
BOTH: Final = pytest.mark.parametrize("dtype", [dtypes.F32, dtypes.F64], ids=str)
BOUND: Final = {"f32": 2.0, "f64": 3.0}
TRUE: Final[dict[str, Any]] = {
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "erf": mpmath.erf,
    "gelu": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x / (1 + mpmath.exp(-mpmath.sqrt(8 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3))),
}
# The nearest that an f32 and an f64 come to a multiple of pi / 2, from where angles are reduced in integers, the ends
# of the polynomials, where results become 1 or leave the normal numbers or vanish.
HARD: Final[dict[str, dict[str, tuple[float, ...]]]] = {
    "f32": {
        "angle": (16367173.0 * 2.0**72, 65535.996, 65536.0, 3.4028235e38, 46530.12890625, 1.5707963, 0.7853982),
        "tanh": (0.5625, 0.56249994, 9.0, 9.0109, 10.0, 1e-3),
        "erf": (0.875, 0.87499994, 3.8325, 3.9, 4.0, 1e-3),
        "gelu": (-12.9, -13.0, -13.1, -14.1, -14.17, -14.2, -15.0, 5.4, 15.0, 15.1, -2.1922, 1e-3, -1e-3),
        "gelu_tanh": (-9.5, -9.6, -10.0, -10.2, -10.3, -11.0, 5.0, 11.0, 11.1, -1.38, 1e-3, -1e-3),
    },
    "f64": {
        "angle": (6381956970095103.0 * 2.0**797, 2.0**30, 2.0**30 - 2.0**-23, 1.7976931348623157e308, 1e22, 355.0),
        "tanh": (0.5625, math.nextafter(0.5625, 0), 19.06, 19.0615474653985, 20.0, 22.0, 1e-9),
        "erf": (0.875, math.nextafter(0.875, 0), 5.92, 5.9215871957945, 6.0, 7.0, 1e-9),
        "gelu": (-37.4, -37.5, -37.7, -38.3, -38.5, -38.6, -39.0, 8.3, 39.0, 39.1, -22.6, -26.0, 1e-9, -1e-9),
        "gelu_tanh": (-20.8, -21.0, -21.2, -21.4, -21.5, -21.6, -22.0, 8.0, 22.0, 22.1, 1e-9, -1e-9),
    },
}  # fmt: skip
TINY: Final = {"f32": (2.0**-149, 2.0**-126, 2.0**-120), "f64": (2.0**-1074, 2.0**-1022, 2.0**-1000)}


def applied(name: str, x: object, dtype: DType) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        result = OPERATIONS[name].reference(np.array(x, dtype.numpy))
    assert result.dtype == np.dtype(dtype.numpy)
    return np.asarray(result)


def distance(got: float, true: Any, dtype: DType) -> float:
    """In units of the last place of the true value."""
    exponent = mpmath.frexp(abs(true))[1] - 1 if true else -9999
    last = max(int(exponent), 2 - 2 ** (dtype.bits - dtype.mantissa - 2)) - dtype.mantissa
    return float(abs(mpmath.mpf(got) - true) / mpmath.ldexp(1, last))


@BOTH
@pytest.mark.parametrize("name", TRUE)
def test_hard_arguments(name: str, dtype: DType) -> None:
    hard = HARD[dtype.name]["angle" if name in ("sin", "cos") else name]
    many = np.random.default_rng(len(name)).standard_normal(60) * 8
    x = np.array([*hard, *(-value for value in hard), *TINY[dtype.name], *many], dtype.numpy)
    with mpmath.workprec(2400):  # a subnormal tail is far below its terms
        for argument, got in zip(x.tolist(), applied(name, x, dtype).tolist(), strict=True):
            off = distance(got, TRUE[name](mpmath.mpf(argument)), dtype)
            assert off <= BOUND[dtype.name], f"{name}({argument.hex()}) = {got.hex()} is {off:.2f} units off"


@BOTH
def test_the_limits(dtype: DType) -> None:
    ends = [0.0, -0.0, INF, -INF, NAN]
    expected = {
        "sin": [0.0, -0.0, NAN, NAN, NAN],
        "cos": [1.0, 1.0, NAN, NAN, NAN],
        "tanh": [0.0, -0.0, 1.0, -1.0, NAN],
        "erf": [0.0, -0.0, 1.0, -1.0, NAN],
        "gelu": [0.0, -0.0, INF, -0.0, NAN],
        "gelu_tanh": [0.0, -0.0, INF, -0.0, NAN],
    }
    for name, values in expected.items():
        assert [repr(value) for value in applied(name, ends, dtype).tolist()] == [repr(value) for value in values], name


@BOTH
def test_odd_and_even(dtype: DType) -> None:
    x = np.random.default_rng(1).standard_normal(500) * 10.0 ** np.random.default_rng(2).integers(-40, 30, 500)
    for name in ("sin", "tanh", "erf"):
        assert np.array_equal(applied(name, -x, dtype), -applied(name, x, dtype))
    assert np.array_equal(applied("cos", -x, dtype), applied("cos", x, dtype))


@BOTH
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_near_zero_both_rows_give_the_same(name: str, dtype: DType) -> None:
    row = OPERATIONS[name]
    assert row.near is not None
    assert row.near.limit(dtype) == {"f32": 2.0**16, "f64": 2.0**30}[dtype.name]
    assert OPERATIONS[row.near.name].reference is row.reference


def test_without_dimensions() -> None:
    for name in TRUE:
        assert applied(name, 1e6, dtypes.F32).shape == applied(name, 1e12, dtypes.F64).shape == ()
