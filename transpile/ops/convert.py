"""Conversions between element types: one rounding, from the value as it is (language, section 2)."""

from __future__ import annotations

from transpile.dtypes import F16, DType
from transpile.ops.reference import Array


def convert(array: Array, to: DType) -> Array:
    """The values as `to`.

    Integers wrap; floats round to nearest even and overflow to infinity; float to integer truncates, saturates, and
    gives 0 for NaN; anything to bool is `x != 0`. The same dtype gives the same bits.
    """
    import numpy as np

    target = np.dtype(to.numpy)
    if array.dtype == target:
        return array
    if to.kind == "bool":
        return array != 0
    if array.dtype.kind == "f" and to.is_integer:
        return _saturate(array, to)
    if to is F16 and array.dtype.kind in "iu":
        # NumPy goes through f32 here. What f64 cannot hold exactly is beyond f16 anyway.
        array = array.astype(np.float64)
    return array.astype(target)


def _saturate(array: Array, to: DType) -> Array:
    import numpy as np

    whole = np.trunc(array.astype(np.float64))
    low, end = float(to.min), float(to.max + 1)
    inside = (whole >= low) & (whole < end)
    cut = np.where(inside, whole, 0.0).astype(to.numpy)
    ends = np.where(whole >= end, np.array(to.max, to.numpy), np.array(to.min, to.numpy))
    return np.where(inside | np.isnan(whole), cut, ends)
