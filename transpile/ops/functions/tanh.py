"""tanh: the algorithm of `runtime_cpp/math/tanh.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import polynomial, real
from transpile.ops.functions.power_of_two import power_of_two, scaled
from transpile.ops.math import fma
from transpile.ops.reference import Array

_POLYNOMIAL32: Final = ("-0x1.9450b4p-8", "0x1.581162p-6", "-0x1.b905bap-5", "0x1.110c5ep-3", "-0x1.555548p-2")
_POLYNOMIAL64: Final = (
    "-0x1.3c77ccfa95463p-16", "0x1.5928de625807fp-14", "-0x1.e7f02d6cff00ep-13", "0x1.345e0219f5946p-11",
    "-0x1.7d8b40c7f8691p-10", "0x1.d6d240cf2519ap-9", "-0x1.226e2cd682820p-7", "0x1.664f4847f8668p-6",
    "-0x1.ba1ba1b92fa79p-5", "0x1.1111111110246p-3", "-0x1.555555555554bp-2",
)  # fmt: skip


def tanh(x: Array) -> Array:
    """The hyperbolic tangent of x."""
    import numpy as np

    is_single = x.dtype == np.float32
    a = np.fabs(x)
    square = a * a
    near = fma(a * square, polynomial(square, _POLYNOMIAL32 if is_single else _POLYNOMIAL64), a)
    most = real(x, "0xap+0" if is_single else "0x14p+0")
    b = np.where(a > most, most, a)
    factor = real(x, "-0x1.715476p+1" if is_single else "-0x1.71547652b82fep+1")
    high = b * factor
    low = fma(b, factor, -high)
    if not is_single:
        low = fma(b, real(x, "-0x1.777d0ffda0d24p-55"), low)
    n, power, _ = power_of_two(high, low)
    e = power * scaled(n, 0)
    unit = real(x, "1.0")
    total, twice = unit + e, real(x, "2.0") * e
    inverse = unit / total
    quotient = twice * inverse
    rest = fma(-quotient, e - (total - unit), fma(-quotient, total, twice))
    one = unit - quotient
    far = one + fma(-rest, inverse, (unit - one) - quotient)
    return np.copysign(np.where(a < real(x, "0x1.2p-1"), near, far), x)
