"""Powers of two with more digits than a float has: the algorithm of `runtime_cpp/math/power_of_two.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import from_bits, polynomial, real, to_bits
from transpile.ops.math import fma
from transpile.ops.reference import Array

_POLYNOMIAL32: Final = (
    "0x1.4ba69ep-13", "0x1.5fc030p-10", "0x1.3b21c0p-7", "0x1.c6ada8p-5", "0x1.ebfbe6p-3", "0x1.62e432p-1",
)  # fmt: skip
_POLYNOMIAL64: Final = (
    "0x1.f8a30f3456f6ep-36", "0x1.ebd9968cce518p-32", "0x1.e4ad2d29c92f9p-28", "0x1.b5238c0c20d25p-24",
    "0x1.62c02a278ee74p-20", "0x1.ffcbfd24fe984p-17", "0x1.430912f6d9c3cp-13", "0x1.5d87fe7879f19p-10",
    "0x1.3b2ab6fba5267p-7", "0x1.c6b08d704a1c3p-5", "0x1.ebfbdff82c58ep-3", "0x1.62e42fefa39efp-1",
)  # fmt: skip


def power_of_two(high: Array, low: Array) -> tuple[Array, Array, Array]:
    """2^(high + low) as n, high and low of (high + low) * 2^n; n is in the low bits."""
    import numpy as np

    is_single = high.dtype == np.float32
    shifter, unit = real(high, "0x1.8p+23" if is_single else "0x1.8p+52"), real(high, "1.0")
    shifted = high + shifter
    r = (high - (shifted - shifter)) + low
    p = polynomial(r, _POLYNOMIAL32 if is_single else _POLYNOMIAL64)
    one = fma(p, r, unit)
    return to_bits(shifted), one, fma(p, r, unit - one)


def scaled(n: Array, excess: int) -> Array:
    """2^(n + excess), which must be a normal number; of n the low bits count."""
    kind = n.dtype.type
    mantissa = 23 if n.itemsize == 4 else 52
    bias = 127 if n.itemsize == 4 else 1023
    return from_bits((n + kind(bias + excess)) << kind(mantissa))
