"""A pointer argument of a launch. It needs no NumPy to be spoken of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from transpile.dtypes import DType

Array = Any  # numpy.ndarray


@dataclass(frozen=True, slots=True)
class PointerValue:
    """`array` is the whole array, one-dimensional, and `offset` the element that is pointed to."""

    array: Array
    dtype: DType
    offset: int = 0
    const: bool = False
    name: str = ""

    @classmethod
    def whole(cls, array: Array, dtype: DType, *, offset: int = 0, const: bool = False, name: str = "") -> PointerValue:
        """A pointer into a C-contiguous array of any shape."""
        return cls(array.reshape(-1), dtype, offset, const, name)
