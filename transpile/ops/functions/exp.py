"""e^x: the algorithm of `runtime_cpp/math/exp.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import from_bits, polynomial, real, to_bits
from transpile.ops.math import fma
from transpile.ops.reference import Array

_POLYNOMIAL32: Final = (
    "0x1.6ac142p-10", "0x1.123da6p-7", "0x1.555858p-5", "0x1.55548cp-3", "0x1.fffffcp-2", "1.0", "1.0",
)  # fmt: skip
_POLYNOMIAL64: Final = (
    "0x1.aeb26ce3d7b3fp-26", "0x1.28abc7054bd57p-22", "0x1.71de837ece4b1p-19", "0x1.a0199c54988f1p-16",
    "0x1.a01a016b07e27p-13", "0x1.6c16c18346c4ep-10", "0x1.111111111a638p-7", "0x1.5555555550b39p-5",
    "0x1.5555555555551p-3", "0x1.000000000000ap-1", "1.0", "1.0",
)  # fmt: skip


def exp(x: Array) -> Array:
    """e to the power x."""
    import numpy as np

    if x.dtype == np.float32:
        shifted = fma(x, real(x, "0x1.715476p+0"), real(x, "0x1.8p+23"))
        n = shifted - real(x, "0x1.8p+23")
        r = fma(n, real(x, "0x1.05c61p-29"), fma(n, real(x, "-0x1.62e43p-1"), x))
        p = polynomial(r, _POLYNOMIAL32)
        scaled = to_bits(p) + (to_bits(shifted) << np.uint32(23))
        return _scaled(x, scaled, np.uint32(64 << 23), 87.0, -104.0, 89.0)
    shifted = fma(x, real(x, "0x1.71547652b82fep+0"), real(x, "0x1.8p+52"))
    n = shifted - real(x, "0x1.8p+52")
    r = fma(n, real(x, "-0x1.abc9e3b39803fp-56"), fma(n, real(x, "-0x1.62e42fefa39efp-1"), x))
    p = polynomial(r, _POLYNOMIAL64)
    scaled = to_bits(p) + (to_bits(shifted) << np.uint64(52))
    return _scaled(x, scaled, np.uint64(64 << 52), 708.0, -746.0, 710.0)


def _scaled(x: Array, scaled: Array, away: Array, near: float, low: float, high: float) -> Array:
    """The result from its bits; near the ends it is scaled in two steps, so that it is rounded once."""
    import numpy as np

    down = from_bits(scaled + away) * real(x, "0x1p-64")
    up = from_bits(scaled - away) * real(x, "0x1p+64")
    result = np.where(x < 0, down, up)
    result = np.where(x < low, x.dtype.type(0), np.where(x < high, result, x + x.dtype.type(np.inf)))
    return np.where(np.fabs(x) < near, from_bits(scaled), result)
