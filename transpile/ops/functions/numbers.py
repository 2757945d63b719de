"""What the definitions spell numbers with: constants of the operand's type, bits of floats, polynomials.

NumPy 1 would make an f64 of an f32 without dimensions beside a Python float; nothing here does.
"""

from __future__ import annotations

from collections.abc import Sequence

from transpile.ops.math import fma
from transpile.ops.reference import Array


def real(like: Array, single: str, double: str | None = None) -> Array:
    """A number spelled as in C++, of the type of `like`: `single` for f32, `double` for f64 where that is another."""
    text = single if double is None or like.dtype.itemsize == 4 else double
    return like.dtype.type(float.fromhex(text) if "0x" in text else float(text))


def unsigned(like: Array, single: int, double: int | None = None) -> Array:
    """An unsigned integer as wide as the numbers of `like`."""
    import numpy as np

    if like.dtype.itemsize == 4:
        return np.uint32(single)
    return np.uint64(single if double is None else double)


def to_bits(x: Array) -> Array:
    """The bits of floats, as unsigned integers of their width."""
    import numpy as np

    return np.asarray(x).view(np.uint32 if x.dtype == np.float32 else np.uint64)


def from_bits(bits: Array) -> Array:
    """The floats that have these bits."""
    import numpy as np

    return np.asarray(bits).view(np.float32 if bits.dtype == np.uint32 else np.float64)


def exponent(bits: Array) -> Array:
    """Whole numbers at the low end of `bits`, at the place of a float's exponent."""
    return bits << unsigned(bits, 23, 52)


def polynomial(x: Array, single: Sequence[str], double: Sequence[str] | None = None) -> Array:
    """By Horner's rule, each step one `fma`; the coefficient of the highest power comes first. `single` for f32,
    `double` for f64 where those are others."""
    value, *others = (real(x, text) for text in (single if double is None or x.dtype.itemsize == 4 else double))
    for coefficient in others:
        value = fma(value, x, coefficient)
    return value
