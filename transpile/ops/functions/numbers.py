"""What the definitions spell numbers with: constants of the operand's type, bits of floats, polynomials.

NumPy 1 would make an f64 of an f32 without dimensions beside a Python float; nothing here does.
"""

from __future__ import annotations

from collections.abc import Sequence

from transpile.ops.math import fma
from transpile.ops.reference import Array


def real(like: Array, text: str) -> Array:
    """The number that `text` spells, as C++ spells it too, of the type of `like`."""
    return like.dtype.type(float.fromhex(text))


def to_bits(x: Array) -> Array:
    """The bits of floats, as unsigned integers of their width."""
    import numpy as np

    return np.asarray(x).view(np.uint32 if x.dtype == np.float32 else np.uint64)


def from_bits(bits: Array) -> Array:
    """The floats that have these bits."""
    import numpy as np

    return np.asarray(bits).view(np.float32 if bits.dtype == np.uint32 else np.float64)


def polynomial(x: Array, coefficients: Sequence[str]) -> Array:
    """By Horner's rule, each step one `fma`; the coefficient of the highest power comes first."""
    value, *others = (real(x, text) for text in coefficients)
    for coefficient in others:
        value = fma(value, x, coefficient)
    return value
