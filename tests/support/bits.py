"""Comparing results: the same bits, all NaNs equal."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from transpile.dtypes import DType


def array_of(held: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """What the reference holds of a type, as an array of it: NaN is known for what it is."""
    return held.view(getattr(ml_dtypes, dtype.numpy, dtype.numpy)) if dtype.is_narrow_float else held


def same_bits(left: NDArray[np.generic], right: NDArray[np.generic]) -> bool:
    """Are the arrays the same, bit for bit, where any NaN equals any NaN?"""
    left, right = _native(left), _native(right)
    return left.shape == right.shape and left.dtype == right.dtype and not different(left, right).any()


def _native(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """In the machine's byte order, in which a pickled array comes back."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def different(left: NDArray[np.generic], right: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where two arrays of one dtype and shape differ."""
    raw = np.dtype(f"u{left.dtype.itemsize}")
    unequal = np.ascontiguousarray(left).view(raw) != np.ascontiguousarray(right).view(raw)
    if left.dtype.kind in "fV":
        with np.errstate(invalid="ignore"):
            unequal &= ~(np.isnan(left) & np.isnan(right))
    return np.asarray(unequal)


def explain(name: str, left: NDArray[np.generic], right: NDArray[np.generic], left_name: str, right_name: str) -> str:
    """The first few elements that differ, for a failing test's message."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return f"{name}: {left.dtype}{left.shape} on {left_name}, {right.dtype}{right.shape} on {right_name}"
    places = np.flatnonzero(different(left, right))
    shown = [f"{name}[{i}]: {left[i]!r} on {left_name}, {right[i]!r} on {right_name}" for i in places[:5]]
    return f"{len(places)} of {left.size} differ; " + "; ".join(shown)
