"""gelu and its form by tanh: the algorithms of `runtime_cpp/math/gelu.hpp` and `gelu_tanh.hpp`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from transpile.ops.functions.numbers import polynomial, real
from transpile.ops.functions.power_of_two import power_of_two, scaled
from transpile.ops.math import fma
from transpile.ops.reference import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gelu:
    """Beyond `most` x is its own gelu, and 0 that of -x. A pair is a number in two parts."""

    most: str
    scaling: int
    logarithm: tuple[str, str]  # -log2(e) / 2
    stretch: str
    middle: str
    polynomial: tuple[str, ...]
    last: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _GeluTanh:
    """The same, with the coefficients of x and x^3 in two parts."""

    most: str
    scaling: int
    linear: tuple[str, str]
    cubic: tuple[str, str]


_GELU32: Final = _Gelu(
    most="0xfp+0",
    scaling=64,
    logarithm=("-0x1.715476p-1", "-0x1.4ae0c0p-27"),
    stretch="0x1.3p-2",
    middle="0x1.9ep-2",
    polynomial=(
        *("-0x1.4ed92ep-6", "0x1.4b1f6cp-5", "0x1.1ae8dap-7", "-0x1.cdba3cp-5", "-0x1.778b66p-5", "0x1.18e31ap-4"),
        *("0x1.aed064p-3", "0x1.24a45ep-2"),
    ),
    last=("0x1.11a544p-2", "0x1.8856a0p-3"),
)
_GELU64: Final = _Gelu(
    most="0x27p+0",
    scaling=128,
    logarithm=("-0x1.71547652b82fep-1", "-0x1.777d0ffda0d24p-57"),
    stretch="0x1.ap-3",
    middle="0x1.284p-1",
    polynomial=(
        *("-0x1.ff9e0b5fa8cedp-11", "-0x1.d67a64b79b533p-12", "0x1.3e0dbfd1de033p-9", "0x1.686e1279a8fb8p-11"),
        *("-0x1.197ac5b112a53p-8", "-0x1.f4441e70457e7p-12", "0x1.e304c7d80bc46p-8", "0x1.c5f94b0c1cdf4p-12"),
        *("-0x1.b718a23c599b5p-7", "-0x1.8a8d4cad97eeep-9", "0x1.a4f794b2ebbd3p-6", "0x1.3020719b375afp-6"),
        *("-0x1.69d426dba7076p-5", "-0x1.5cc544351d208p-4", "0x1.7c55d459c5b70p-8", "0x1.f8065e5c0f101p-3"),
        *("0x1.0c8560c710f77p-1", "0x1.62dc670d5bd31p-1", "0x1.5db48ad825cffp-1", "0x1.11b8558cf6138p-1"),
    ),
    last=("0x1.5dbcfa4904665p-2", "0x1.707ed6a2be030p-3"),
)
_GELU_TANH32: Final = _GeluTanh(
    most="0xbp+0",
    scaling=64,
    linear=("-0x1.26aec0p+1", "-0x1.0de73ap-22"),
    cubic=("-0x1.a5a7d0p-4", "0x1.151aaep-29"),
)
_GELU_TANH64: Final = _GeluTanh(
    most="0x16p+0",
    scaling=128,
    linear=("-0x1.26aec21bce740p+1", "-0x1.94bb4a166d0c5p-47"),
    cubic=("-0x1.a5a7cf7572a98p-4", "0x1.b91c940e4cfcfp-58"),
)


def gelu(x: Array) -> Array:
    """x times the normal distribution of x."""
    import numpy as np

    numbers = _GELU32 if x.dtype == np.float32 else _GELU64
    most, whole = real(x, numbers.most), _power(x, numbers.scaling)
    a = _at_most(most, x)
    tail, tail_low, n = _tail(a, numbers)
    scale = scaled(n, numbers.scaling)
    below, below_low = tail * scale, tail_low * scale
    above = whole - below
    above_low = ((whole - above) - below) - below_low
    part, part_low = np.where(x < 0, below, above), np.where(x < 0, below_low, above_low)
    return _finished(x, fma(a, part, a * part_low), most, numbers.scaling)


def _tail(a: Array, numbers: _Gelu) -> tuple[Array, Array, Array]:
    """The normal distribution of -a in two parts, without a power of two: its n comes last."""
    unit = real(a, "0x1p+0")
    square = a * a
    square_low = fma(a, a, -square)
    first, second = (real(a, text) for text in numbers.logarithm)
    high = square * first
    low = fma(square, second, fma(square, first, -high))
    n, power, power_low = power_of_two(high, fma(square_low, first, low))
    stretch = real(a, numbers.stretch)
    under = fma(a, stretch, unit)
    under_low = fma(a, stretch, unit - under)
    t = unit / under
    t_low = t * fma(-t, under_low, fma(-t, under, unit))
    r = t - real(a, numbers.middle)
    c, d = (real(a, text) for text in numbers.last)
    p = polynomial(r, numbers.polynomial)
    q = fma(p, r, c)
    q_low = fma(p, r, c - q)
    g = fma(q, r, d)
    g_low = fma(q_low, r, fma(q, r, d - g))
    w = t * g
    slope = fma(t, fma(real(a, "0x2p+0"), q, -c), g)
    w_low = fma(t, g_low, fma(t_low, slope, fma(t, g, -w)))
    tail = power * w
    return tail, fma(power_low, w, fma(power, w_low, fma(power, w, -tail))), n


def gelu_tanh(x: Array) -> Array:
    """x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))."""
    import numpy as np

    numbers = _GELU_TANH32 if x.dtype == np.float32 else _GELU_TANH64
    most, unit = real(x, numbers.most), real(x, "0x1p+0")
    a = _at_most(most, x)
    square = a * a
    square_low = fma(a, a, -square)
    linear, linear_low = (real(x, text) for text in numbers.linear)
    cubic, cubic_low = (real(x, text) for text in numbers.cubic)
    factor = fma(square, cubic, linear)
    factor_low = fma(square, cubic, linear - factor)
    factor_low = factor_low + fma(square, cubic_low, fma(square_low, cubic, linear_low))
    high = a * factor
    n, power, power_low = power_of_two(high, fma(a, factor_low, fma(a, factor, -high)))
    scale = scaled(n, numbers.scaling)
    e, e_low = power * scale, power_low * scale
    down = _power(x, -numbers.scaling)
    small = e * down
    total = unit + small
    total_low = fma(e_low, down, small - (total - unit))
    inverse = unit / total
    over = np.where(x < 0, e, _power(x, numbers.scaling))
    over_low = np.where(x < 0, e_low, x.dtype.type(0))
    part = over * inverse
    rest = fma(-part, total_low, fma(-part, total, over)) + over_low
    return _finished(x, fma(a, part, a * (rest * inverse)), most, numbers.scaling)


def _power(like: Array, n: int) -> Array:
    return real(like, f"0x1p{n:+d}")


def _at_most(most: Array, x: Array) -> Array:
    """The size of x, cut; NaN stays NaN."""
    import numpy as np

    size = np.fabs(x)
    return np.where(size > most, most, size)


def _finished(x: Array, result: Array, most: Array, scaling: int) -> Array:
    """The result scaled back and with its sign; of a large x it is x."""
    import numpy as np

    return np.where(x > most, x, np.copysign(result * _power(x, -scaling), x))
