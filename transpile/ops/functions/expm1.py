"""e^x - 1: the algorithm of `runtime_cpp/math/expm1.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.exp import magic, reduced, remainder
from transpile.ops.functions.numbers import exponent, from_bits, polynomial, real, to_bits, unsigned
from transpile.ops.math import fma
from transpile.ops.reference import Array

_TAIL32: Final = (
    "0x1.a57fc2p-13", "0x1.6f1d48p-10", "0x1.110cc6p-7", "0x1.55521ep-5", "0x1.555558p-3", "0x1.000002p-1",
)  # fmt: skip
_TAIL64: Final = (
    "0x1.63fbe44c9ba81p-33", "0x1.2041809b8d2a1p-29", "0x1.ae6193f7ad475p-26", "0x1.27e41f6475722p-22",
    "0x1.71de3b79fa614p-19", "0x1.a01a0228e353ap-16", "0x1.a01a019faba12p-13", "0x1.6c16c16bed6ccp-10",
    "0x1.1111111111223p-7", "0x1.5555555555601p-5", "0x1.5555555555555p-3", "0x1p-1",
)  # fmt: skip


def expm1(x: Array) -> Array:
    """e to the power x, less 1."""
    import numpy as np

    one = real(x, "1.0")
    shifted = np.where(np.fabs(x) < 0.5, magic(x), reduced(x)[0])
    r = remainder(x, shifted - magic(x))
    q = polynomial(r, _TAIL32, _TAIL64)
    bits = unsigned(x, 0x3F800000, 0x3FF0000000000000) + exponent(to_bits(shifted))
    power = from_bits(bits)
    less = power - one
    high = fma(power, r, less)
    lost = fma(power, r, less - high) + ((power - less) - one)
    result = high + fma(power * (r * r), q, lost)
    down = from_bits(bits - exponent(unsigned(x, 64)))
    p = fma(fma(q, r, one), r, one)
    upper = np.where(x < real(x, "89.0", "710.0"), (p * down) * real(x, "0x1p+64"), x + x.dtype.type(np.inf))
    result = np.where(np.fabs(x) < real(x, "87.0", "708.0"), result, np.where(x < 0, -one, upper))
    return np.copysign(result, x)
