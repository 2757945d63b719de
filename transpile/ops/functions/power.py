"""x^y: see `runtime_cpp/math/pow.hpp`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from transpile.ops.functions.numbers import from_bits, polynomial, real, to_bits
from transpile.ops.math import fma
from transpile.ops.reference import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """What differs between f32 and f64: `whole` is 2^mantissa, from where on every number is whole; `root` the bits of
    sqrt(1/2) as of a number between 1/2 and 1, `above` its significand's. A pair is a number in two parts."""

    mantissa: int
    smallest: str  # the smallest normal number
    up: str  # makes normal numbers of the subnormal ones
    root: int
    whole: str
    bias: str  # `whole` and what an exponent of 0 counts from
    bias_of_subnormal: str
    logarithm: tuple[str, ...]
    third: tuple[str, str]
    first: tuple[str, str]
    exponential: tuple[str, ...]
    shifter: str  # leaves a whole number in the low bits
    unscaled: int  # the bits of `shifter`, less twice the bias of an exponent
    most: float  # beyond it 2^p overflows or is 0

    @property
    def above(self) -> int:
        return self.root & ((1 << self.mantissa) - 1)


_F32: Final = _Format(
    mantissa=23,
    smallest="0x1p-126",
    up="0x1p+24",
    root=0x3F3504F3,
    whole="0x1p+23",
    bias="0x1.0000fcp+23",
    bias_of_subnormal="0x1.00012cp+23",
    logarithm=("0x1.59f806p-2", "0x1.a5bb7cp-2", "0x1.27770ep-1"),
    third=("0x1.ec709ep-1", "-0x1.e2fe02p-28"),
    first=("0x1.715476p+1", "0x1.4ae0c0p-25"),
    exponential=(
        *("0x1.3f9bc0p-13", "0x1.5f0b8cp-10", "0x1.3b30a6p-7", "0x1.c6af76p-5", "0x1.ebfbd8p-3", "0x1.62e430p-1"),
        "1.0",
    ),
    shifter="0x1.8p+23",
    unscaled=0x4B3FFF02,
    most=200.0,
)
_F64: Final = _Format(
    mantissa=52,
    smallest="0x1p-1022",
    up="0x1p+54",
    root=0x3FE6A09E667F3BCD,
    whole="0x1p+52",
    bias="0x1.00000000003fep+52",
    bias_of_subnormal="0x1.0000000000434p+52",
    logarithm=(
        *("0x1.623b74aee268ap-3", "0x1.58f2e2e5c9a60p-3", "0x1.8a0a43b72d278p-3", "0x1.c68ee53f2fa7bp-3"),
        *("0x1.0c9a8543e65f0p-2", "0x1.484b13d696d8ap-2", "0x1.a61762a7aefa4p-2", "0x1.2776c50ef9bfcp-1"),
    ),
    third=("0x1.ec709dc3a03fdp-1", "0x1.d27f05548af0cp-55"),
    first=("0x1.71547652b82fep+1", "0x1.777d0ffda0d24p-55"),
    exponential=(
        *("0x1.e943d34d51228p-32", "0x1.e61c25139d645p-28", "0x1.b52541a878ffdp-24", "0x1.62bfc7149ecf9p-20"),
        *("0x1.ffcbfc583c87cp-17", "0x1.4309130f16a65p-13", "0x1.5d87fe78a14c0p-10", "0x1.3b2ab6fb9ffaap-7"),
        *("0x1.c6b08d704a121p-5", "0x1.ebfbdff82c5a5p-3", "0x1.62e42fefa39efp-1", "1.0"),
    ),
    shifter="0x1.8p+52",
    unscaled=0x4337FFFFFFFFF802,
    most=1100.0,
)


def pow(x: Array, y: Array) -> Array:
    """x to the power y."""
    import numpy as np

    form = _F32 if x.dtype == np.float32 else _F64
    size, size_y = np.fabs(x), np.fabs(y)
    log, log_low = _log2_in_two(form, size)
    high = np.where(size == 0, -x.dtype.type(np.inf), np.where(size < np.inf, log, x.dtype.type(np.inf)))
    product = y * high
    is_inside = np.fabs(product) < form.most
    p = np.where(is_inside, product, np.where(product > 0, x.dtype.type(form.most), x.dtype.type(-form.most)))
    inside = np.where(is_inside, y, x.dtype.type(0))
    low = fma(inside, log_low, fma(inside, log, np.where(is_inside, -product, x.dtype.type(0))))
    power = _exp2_of_two(form, p, low)
    sign = to_bits(x) & _odd(form, size_y)
    is_whole = _is_whole(form, size_y)
    is_nan = (x != x) | (y != y) | ((x < 0) & (size < np.inf) & ~is_whole)
    is_one = (x == 1) | (y == 0) | ((x == -1) & (size_y == np.inf))
    signed = from_bits(to_bits(power) | sign)
    return np.where(is_one, x.dtype.type(1), np.where(is_nan, x.dtype.type(np.nan), signed))


def _log2_in_two(form: _Format, x: Array) -> tuple[Array, Array]:
    """log2 of a number that is neither 0, infinite nor NaN, as a value and a correction."""
    import numpy as np

    integer = to_bits(x).dtype.type
    is_subnormal = x < real(x, form.smallest)
    bits = to_bits(np.where(is_subnormal, x * real(x, form.up), x)) - integer(form.above)
    m = from_bits((bits & integer((1 << form.mantissa) - 1)) + integer(form.root))
    counted = from_bits((bits >> integer(form.mantissa)) | to_bits(real(x, form.whole)))
    e = counted - np.where(is_subnormal, real(x, form.bias_of_subnormal), real(x, form.bias))
    one = x.dtype.type(1)
    f, g = m - one, m + one
    g_low = m - (g - one)
    r = one / g
    u = f * r
    u_low = fma(-u, g_low, fma(-u, g, f)) * r
    s = u * u
    s_low = fma(u + u, u_low, fma(u, u, -s))
    p = polynomial(s, form.logarithm) * s
    third, third_low = (real(x, text) for text in form.third)
    a = third + p
    a_low = p - (a - third) + third_low
    b = a * s
    b_low = fma(a_low, s, fma(a, s_low, fma(a, s, -b)))
    first, first_low = (real(x, text) for text in form.first)
    c = first + b
    c_low = b - (c - first) + (b_low + first_low)
    d = c * u
    d_low = fma(c_low, u, fma(c, u_low, fma(c, u, -d)))
    high = e + d
    return high, d - (high - e) + d_low


def _exp2_of_two(form: _Format, p: Array, low: Array) -> Array:
    """2^(p + low)."""
    integer = to_bits(p).dtype.type
    shifter = real(p, form.shifter)
    shifted = p + shifter
    t = p - (shifted - shifter) + low
    q = polynomial(t, form.exponential)
    scale = to_bits(shifted) - integer(form.unscaled)
    half = scale >> integer(1)
    places = integer(form.mantissa)
    return q * from_bits(half << places) * from_bits((scale - half) << places)


def _is_whole(form: _Format, size: Array) -> Array:
    whole = real(size, form.whole)
    return (size >= whole) | ((size + whole) - whole == size)


def _odd(form: _Format, size: Array) -> Array:
    """The sign's bit where a number that is not below 0 is whole and odd, else 0: the last bit is that of the ones."""
    import numpy as np

    whole = real(size, form.whole)
    integer = to_bits(size).dtype.type
    aligned = to_bits(np.where(size < whole, size + whole, size))
    is_counted = _is_whole(form, size) & (size < whole + whole)
    return np.where(is_counted, aligned << integer(integer(0).itemsize * 8 - 1), integer(0))
