"""e^x and 2^x: the algorithms of `runtime_cpp/math/exp.hpp` and `exp2.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import exponent, from_bits, polynomial, real, to_bits, unsigned
from transpile.ops.math import fma
from transpile.ops.reference import Array

# (e^r - 1 - r) / r^2
TAIL32: Final = ("0x1.6ac142p-10", "0x1.123da6p-7", "0x1.555858p-5", "0x1.55548cp-3", "0x1.fffffcp-2")
TAIL64: Final = (
    "0x1.aeb26ce3d7b3fp-26", "0x1.28abc7054bd57p-22", "0x1.71de837ece4b1p-19", "0x1.a0199c54988f1p-16",
    "0x1.a01a016b07e27p-13", "0x1.6c16c18346c4ep-10", "0x1.111111111a638p-7", "0x1.5555555550b39p-5",
    "0x1.5555555555551p-3", "0x1.000000000000ap-1",
)  # fmt: skip
_POWER32: Final = (
    "0x1.c048b2p-17", "0x1.443f98p-13", "0x1.5dc052p-10", "0x1.3b2a1cp-7", "0x1.c6b056p-5", "0x1.ebfbep-3",
    "0x1.62e43p-1", "1.0",
)  # fmt: skip
_POWER64: Final = (
    "0x1.c6d9b14d1c64ap-36", "0x1.ea14248cb7117p-32", "0x1.e4cd9d6e092c9p-28", "0x1.b524d0e9672e1p-24",
    "0x1.62c0229a6af2fp-20", "0x1.ffcbfc7ac3df5p-17", "0x1.430912f85992bp-13", "0x1.5d87fe78a130cp-10",
    "0x1.3b2ab6fba4ea8p-7", "0x1.c6b08d704a0d6p-5", "0x1.ebfbdff82c58fp-3", "0x1.62e42fefa39efp-1", "1.0",
)  # fmt: skip


def exp(x: Array) -> Array:
    """e to the power x."""
    shifted, r = reduced(x)
    p = polynomial(r, (*TAIL32, "1.0", "1.0"), (*TAIL64, "1.0", "1.0"))
    ends = (real(x, "87.0", "708.0"), real(x, "-104.0", "-746.0"), real(x, "89.0", "710.0"))
    return _scaled(x, to_bits(p) + exponent(to_bits(shifted)), *ends)


def exp2(x: Array) -> Array:
    """2 to the power x."""
    shifted = x + magic(x)
    r = x - (shifted - magic(x))
    p = polynomial(r, _POWER32, _POWER64)
    ends = (real(x, "126.0", "1022.0"), real(x, "-151.0", "-1076.0"), real(x, "129.0", "1025.0"))
    return _scaled(x, to_bits(p) + exponent(to_bits(shifted)), *ends)


def magic(x: Array) -> Array:
    """What leaves a whole number in the low bits when it is added."""
    return real(x, "0x1.8p+23", "0x1.8p+52")


def reduced(x: Array) -> tuple[Array, Array]:
    """The n of x = n ln 2 + r, as the low bits of a float, and r."""
    shifted = fma(x, real(x, "0x1.715476p+0", "0x1.71547652b82fep+0"), magic(x))
    return shifted, remainder(x, shifted - magic(x))


def remainder(x: Array, n: Array) -> Array:
    """x - n ln 2."""
    first = fma(n, real(x, "-0x1.62e43p-1", "-0x1.62e42fefa39efp-1"), x)
    return fma(n, real(x, "0x1.05c61p-29", "-0x1.abc9e3b39803fp-56"), first)


def _scaled(x: Array, scaled: Array, near: Array, low: Array, high: Array) -> Array:
    """The result from its bits; near the ends it is scaled in two steps, so that it is rounded once."""
    import numpy as np

    away = exponent(unsigned(x, 64))
    down = from_bits(scaled + away) * real(x, "0x1p-64")
    up = from_bits(scaled - away) * real(x, "0x1p+64")
    result = np.where(x < 0, down, up)
    result = np.where(x < low, x.dtype.type(0), np.where(x < high, result, x + x.dtype.type(np.inf)))
    return np.where(np.fabs(x) < near, from_bits(scaled), result)
