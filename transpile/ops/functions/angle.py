"""sin and cos: the algorithms of `runtime_cpp/math/angle.hpp`, `sin.hpp` and `cos.hpp`.

An angle is a whole number of quarter turns, of which the last two bits count, and what is left, high + low: at most an
eighth of a turn.
"""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import from_bits, polynomial, real, to_bits
from transpile.ops.math import fma
from transpile.ops.reference import Array

_TWO_OVER_PI: Final = (
    0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
    0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5,
    0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF,
    0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7,
    0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
)  # fmt: skip
_SINE32: Final = ("-0x1.991c28p-13", "0x1.1106c6p-7", "-0x1.555544p-3")
_COSINE32: Final = ("0x1.99e524p-16", "-0x1.6c0c22p-10", "0x1.55554ap-5")
_SINE64: Final = (
    "0x1.5d8b571c36e15p-33", "-0x1.ae5e4b7ffa64cp-26", "0x1.71de355521dbfp-19", "-0x1.a01a019be91b0p-13",
    "0x1.111111110f730p-7", "-0x1.5555555555548p-3",
)  # fmt: skip
_COSINE64: Final = (
    "-0x1.8fa66efe904fap-37", "0x1.1ee9dbabcc070p-29", "-0x1.27e4f7f16773ep-22", "0x1.a01a019c8efa6p-16",
    "-0x1.6c16c16c15014p-10", "0x1.555555555554bp-5",
)  # fmt: skip


def sin(x: Array) -> Array:
    """The sine of x radians."""
    import numpy as np

    quarters, high, low = _quarters_of(np.fabs(x))
    bits = to_bits(x)
    sign = bits & bits.dtype.type(1 << (8 * bits.itemsize - 1))
    return from_bits(to_bits(_sine_at(high, low, quarters)) ^ sign)


def cos(x: Array) -> Array:
    """The cosine of x radians."""
    import numpy as np

    quarters, high, low = _quarters_of(np.fabs(x))
    return _sine_at(high, low, quarters + quarters.dtype.type(1))


def _sine_at(high: Array, low: Array, quarters: Array) -> Array:
    import numpy as np

    is_single = high.dtype == np.float32
    square = high * high
    p = polynomial(square, _SINE32 if is_single else _SINE64)
    sine = high + fma(high * square, p, fma(square * real(high, "-0x1p-1"), low, low))
    q = polynomial(square, _COSINE32 if is_single else _COSINE64)
    unit, half = real(high, "1.0"), real(high, "-0x1p-1") * high
    one = fma(half, high, unit)
    below = fma(half, high, unit - one)
    cosine = one + fma(square * square, q, fma(-high, low, below))
    kind = quarters.dtype.type
    half_turn = (quarters & kind(2)) << kind(8 * quarters.itemsize - 2)
    return from_bits(to_bits(np.where(quarters & kind(1) != 0, cosine, sine)) ^ half_turn)


def _quarters_of(x: Array) -> tuple[Array, Array, Array]:
    """Of x >= 0: the quarters, and what is left in two parts."""
    import numpy as np

    if x.dtype == np.float32:
        inverse, shifter, limit = "0x1.45f306p-1", "0x1.8p+23", "0x1p+16"
        first, second, third = "-0x1.921fb6p+0", "0x1.777a5cp-25", "0x1.ee59dap-50"
    else:
        inverse, shifter, limit = "0x1.45f306dc9c883p-1", "0x1.8p+52", "0x1p+30"
        first, second, third = "-0x1.921fb54442d18p+0", "-0x1.1a62633145c07p-54", "0x1.f1976b7ed8fbcp-110"
    shifted = fma(x, real(x, inverse), real(x, shifter))
    n = shifted - real(x, shifter)
    near = fma(n, real(x, first), x)
    part = n * real(x, second)
    high = near + part
    lost = (part - (high - near)) + fma(n, real(x, second), -part)
    low = fma(n, real(x, third), lost)
    quarters = to_bits(shifted)
    is_large = (x >= real(x, limit)) & (x < np.inf)
    if np.any(is_large):
        of_large = _quarters_of_large32 if x.dtype == np.float32 else _quarters_of_large64
        quarters, high, low = (np.array(each) for each in (quarters, high, low))
        quarters[is_large], high[is_large], low[is_large] = of_large(np.asarray(x)[is_large])
    return quarters, high, low


def _two_over_pi(at: Array) -> Array:
    """32 bits of 2 / pi from number `at` on, counted from 32 bits before the point; in 64 bits."""
    import numpy as np

    words = np.array(_TWO_OVER_PI, np.uint64)
    two = words[at // 32] << np.uint64(32) | words[at // 32 + 1]
    return two << (at % 32).astype(np.uint64) >> np.uint64(32)


def _quarters_of_large32(x: Array) -> tuple[Array, Array, Array]:
    import numpy as np

    bits = to_bits(x)
    m = ((bits & np.uint32(0x7FFFFF)) | np.uint32(0x800000)).astype(np.uint64)
    at = (bits >> np.uint32(23)).astype(np.int64) - 120
    turns = (m * _two_over_pi(at) << np.uint64(32)) + m * _two_over_pi(at + 32)
    turns += m * _two_over_pi(at + 64) >> np.uint64(32)
    rest = (turns << np.uint64(2)).view(np.int64).astype(np.float64) * real(np.zeros(1), "0x1.921fb54442d18p-64")
    high = rest.astype(np.float32)
    quarters = (turns + np.uint64(1 << 61)) >> np.uint64(62)
    return quarters.astype(np.uint32), high, (rest - high).astype(np.float32)


def _quarters_of_large64(x: Array) -> tuple[Array, Array, Array]:
    import numpy as np

    bits = to_bits(x)
    m = (bits & np.uint64((1 << 52) - 1)) | np.uint64(1 << 52)
    at = (bits >> np.uint64(52)).astype(np.int64) - 1045
    first, second, third = (
        _two_over_pi(at + start) << np.uint64(32) | _two_over_pi(at + start + 32) for start in (0, 64, 128)
    )
    below = m * second + _high_product(m, third)
    turns = m * first + _high_product(m, second) + (below < m * second).astype(np.uint64)
    above = (turns << np.uint64(2) | below >> np.uint64(62)).view(np.int64)
    a = (above >> np.int64(32)).astype(np.float64) * real(x, "0x1p-32")
    b, c, d = (
        (word & np.uint64(0xFFFFFFFF)).astype(np.float64) * real(x, scale)
        for word, scale in (
            (above.view(np.uint64), "0x1p-64"),
            (below >> np.uint64(30), "0x1p-96"),
            (below << np.uint64(2), "0x1p-128"),
        )
    )
    ab = a + b
    abc_low = c + (b - (ab - a))
    abc = ab + abc_low
    low = (abc_low - (abc - ab)) + d
    half_pi = real(x, "0x1.921fb54442d18p+0")
    high = abc * half_pi
    correction = fma(abc, real(x, "0x1.1a62633145c07p-54"), low * half_pi)
    return (turns + np.uint64(1 << 61)) >> np.uint64(62), high, fma(abc, half_pi, -high) + correction


def _high_product(a: Array, b: Array) -> Array:
    """The upper half of a product of 128 bits."""
    import numpy as np

    lower, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    low_a, high_a, low_b, high_b = a & lower, a >> half, b & lower, b >> half
    one = high_a * low_b + (low_a * low_b >> half)
    other = low_a * high_b + (one & lower)
    return high_a * high_b + (one >> half) + (other >> half)
