"""Conversions between element types: one rounding, from the value as it is (language.md, Types).

Narrow floats are held as their bits, in arrays of unsigned integers. Rounding to them is never left to NumPy or
ml_dtypes, whose conversions round twice in places and do not saturate.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from transpile.dtypes import DType, Number
from transpile.ops.reference import Array
from transpile.rounding import bits_of, value_of

_INEXACT: Final = 1 << 32  # from here on an integer has bits that no narrow float can show


def convert(array: Array, source: DType, to: DType) -> Array:
    """The values of `source` as `to`.

    Integers wrap; floats round to nearest even, and overflow to infinity or saturate; float to integer truncates,
    saturates, and gives 0 for NaN; anything to bool is `x != 0`. The same dtype gives the same bits.
    """
    if source is to:
        return array
    if source.is_narrow_float:
        array = _widened(array, source)
    if to.kind == "bool":
        return array != 0
    if to.is_narrow_float:
        return _narrowed(array, to)
    if source.is_float and to.is_integer:
        return _saturated(array, to)
    return array.astype(to.held)


def hold(value: Number, dtype: DType) -> Array:
    """A constant of the type as an array of one element."""
    import numpy as np

    return np.array([bits_of(float(value), dtype) if dtype.is_narrow_float else value], dtype.held)


def number(array: Array, dtype: DType) -> Number:
    """The first element of an array, as Python holds it."""
    import numpy as np

    item: Number = np.asarray(array, dtype.held).reshape(-1)[0].item()
    return value_of(int(item), dtype) if dtype.is_narrow_float else item


def _saturated(array: Array, to: DType) -> Array:
    import numpy as np

    whole = np.trunc(array.astype(np.float64))
    low, end = float(to.min), float(to.max + 1)
    inside = (whole >= low) & (whole < end)
    cut = np.where(inside, whole, 0.0).astype(to.held)
    ends = np.where(whole >= end, np.array(to.max, to.held), np.array(to.min, to.held))
    return np.where(inside | np.isnan(whole), cut, ends)


@cache
def _values(dtype: DType) -> Array:
    """What each pattern of bits means, in f32."""
    import numpy as np

    found = np.array([value_of(bits, dtype) for bits in range(1 << dtype.bits)], np.float32)
    found.flags.writeable = False
    return found


def _widened(bits: Array, dtype: DType) -> Array:
    found: Array = _values(dtype)[bits]
    return found


def _narrowed(array: Array, to: DType) -> Array:
    """Rounded to a whole number of quanta, the distance of neighbours there; these count the bit patterns as well."""
    import numpy as np

    exact = _as_f64(array)
    magnitude = np.abs(exact)
    lowest = 1 - to.bias
    exponent = np.where(magnitude == 0, lowest, np.maximum(np.frexp(magnitude)[1].astype(np.int64) - 1, lowest))
    steps = np.rint(np.ldexp(magnitude, to.mantissa - exponent))  # half to even; infinity and NaN stay
    is_finite = np.isfinite(exact)
    code = ((exponent - lowest) << to.mantissa) + np.where(is_finite, steps, 0.0).astype(np.int64)
    last = bits_of(to.largest, to)
    beyond = last if to.saturates else bits_of(float("inf"), to)
    code = np.where(~is_finite | (code > last), beyond, code)
    code = code | (np.signbit(exact).astype(np.int64) << (to.bits - 1))
    return np.where(np.isnan(exact), bits_of(float("nan"), to), code).astype(to.held)


def _as_f64(array: Array) -> Array:
    """Numbers that round to the same narrow float: what f64 cannot hold of a large integer matters only as being more
    than the bits above it say."""
    import numpy as np

    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return array.astype(np.float64)
    kind = array.dtype.type
    rest = array & kind(0xFFFF)
    folded = (array - rest) | np.where(rest != 0, kind(0x8000), kind(0))
    large = array >= _INEXACT
    if array.dtype.kind == "i":
        large = large | (array <= -_INEXACT)
    return np.where(large, folded, array).astype(np.float64)
