"""Logarithms: the algorithms of `runtime_cpp/math/log.hpp`, `log2.hpp` and `log1p.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import from_bits, polynomial, real, to_bits, unsigned
from transpile.ops.math import fma
from transpile.ops.reference import Array

_TAIL32: Final = (
    "-0x1.081078p-3", "0x1.1e713cp-3", "-0x1.f30cbep-4", "0x1.1ed526p-3", "-0x1.559dfp-3", "0x1.99d044p-3",
    "-0x1.fffefp-3", "0x1.555506p-2",
)  # fmt: skip
_TAIL64: Final = (
    "-0x1.5581ac2ac2a94p-4", "0x1.5c1cade4edf44p-4", "-0x1.3a5a9e30cebe0p-5", "0x1.561b4f8e29cd4p-5",
    "-0x1.d6d4871262384p-5", "0x1.efbe29053c42cp-5", "-0x1.fe6948566f04fp-5", "0x1.10698f58bbcbep-4",
    "-0x1.249f7986049a6p-4", "0x1.3b1db5381da16p-4", "-0x1.5554c7d45a4e4p-4", "0x1.745cb5fe6fddbp-4",
    "-0x1.99999d57988f4p-4", "0x1.c71c740c08548p-4", "-0x1.fffffff0f509cp-4", "0x1.24924920b3d3fp-3",
    "-0x1.5555555565250p-3", "0x1.99999999a0130p-3", "-0x1.fffffffffff35p-3", "0x1.5555555555538p-2",
)  # fmt: skip


def log(x: Array) -> Array:
    """The natural logarithm."""
    k, f = _parts(x)
    high, lost = _with_ln2(k, f)
    result = high + (fma(k, real(x, "0x1.7f7d1cp-20", "0x1.ef35793c7673p-45"), log_tail(f)) + lost)
    return _or_special(x, result, real(x, "0.0"))


def log2(x: Array) -> Array:
    """The logarithm to the base 2."""
    k, f = _parts(x)
    factor = real(x, "0x1.715476p+0", "0x1.71547652b82fep+0")
    high = fma(f, factor, k)
    lost = fma(f, factor, k - high)
    low = fma(log_tail(f), factor, lost)
    result = high + fma(f, real(x, "0x1.4ae0cp-26", "0x1.777d0ffda0d24p-56"), low)
    return _or_special(x, result, real(x, "0.0"))


def log1p(x: Array) -> Array:
    """log(1 + x)."""
    import numpy as np

    one = real(x, "1.0")
    bits = to_bits(one + x) - _two_thirds(x)
    down = from_bits(to_bits(one) - (bits & unsigned(x, 0xFF800000, 0xFFF0000000000000)))
    is_large = ~(x < real(x, "0x1p+64"))
    f = np.where(is_large, _mantissa(bits) - one, fma(x, down, down - one))
    rest = np.where(is_large, real(x, "0.0"), fma(x, down, (down - one) - f))
    k = _biased(bits) - real(x, "0x1.0002p+23", "0x1.00000000008p+52")
    high, lost = _with_ln2(k, f)
    low = fma(k, real(x, "0x1.7f7d1cp-20", "0x1.ef35793c7673p-45"), log_tail(f))
    result = high + (low + fma(rest, one - f, lost))
    return np.copysign(_or_special(x, result, -one), x)


def log_tail(f: Array) -> Array:
    """log(1 + f) - f, for f from -1/3 to 1/3."""
    return (f * f) * fma(polynomial(f, _TAIL32, _TAIL64), f, real(f, "-0.5"))


def _parts(x: Array) -> tuple[Array, Array]:
    """The k and f of x = 2^k (1 + f), with f from -1/3 to 1/3."""
    import numpy as np

    is_small = x < real(x, "0x1p-126", "0x1p-1022")
    bits = to_bits(np.where(is_small, x * real(x, "0x1p+23", "0x1p+52"), x)) - _two_thirds(x)
    scaled = real(x, "0x1.00022ep+23", "0x1.0000000000834p+52")
    k = _biased(bits) - np.where(is_small, scaled, real(x, "0x1.0002p+23", "0x1.00000000008p+52"))
    return k, _mantissa(bits) - real(x, "1.0")


def _two_thirds(x: Array) -> Array:
    return unsigned(x, 0x3F2AAAAB, 0x3FE5555555555555)


def _mantissa(bits: Array) -> Array:
    """The number from 2/3 to 4/3 whose bits, less those of 2/3, are the low bits."""
    return from_bits((bits & unsigned(bits, 0x7FFFFF, 0xFFFFFFFFFFFFF)) + _two_thirds(bits))


def _biased(bits: Array) -> Array:
    """The exponent as a float: 2^23 + 256 (f32) or 2^52 + 2048 (f64) above."""
    raised = (bits >> unsigned(bits, 23, 52)) ^ unsigned(bits, 256, 2048)
    return from_bits(unsigned(bits, 0x4B000000, 0x4330000000000000) + raised)


def _with_ln2(k: Array, f: Array) -> tuple[Array, Array]:
    """The sum of f and k times the first part of ln 2, and what it loses."""
    part = real(f, "0x1.62e4p-1", "0x1.62e42fefa38p-1")
    high = fma(k, part, f)
    return high, f - fma(k, -part, high)


def _or_special(x: Array, result: Array, end: Array) -> Array:
    """The result above `end`, where it is -inf; NaN below; inf and NaN are their own."""
    import numpy as np

    special = np.where(x < end, x.dtype.type(np.nan), np.where(x == end, x.dtype.type(-np.inf), x))
    return np.where((x > end) & (x < np.inf), result, special)
