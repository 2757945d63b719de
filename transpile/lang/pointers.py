"""Pointers outside of kernels: one-dimensional arrays of one element type, and places in them.

`native.stack_alloc` and `cuda.device_alloc` make them, `native.offset` moves them, and NumPy arrays, like anything with
the buffer protocol, become them. Every `native.load` and `native.store` is checked against the whole array.
"""

from __future__ import annotations

import operator
from typing import Any

from transpile.dtypes import DType
from transpile.lang.scalars import convert_element

Array = Any  # numpy.ndarray; NumPy itself is imported where an array is made


class HostPointer:
    """A place in an array, `offset` elements from its start; it may lie outside, as long as nothing is read there.

    `numpy.asarray(pointer)` is the rest of the array from there, without a copy.
    """

    __slots__ = ("_array", "_dtype", "_offset")

    def __init__(self, array: Array, dtype: DType, offset: int = 0) -> None:
        self._array = array
        self._dtype = dtype
        self._offset = offset

    @property
    def __transpile_pointer__(self) -> tuple[Array, int]:
        """The whole array, and how many elements on this points."""
        return self._array, self._offset

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        import numpy as np

        rest = self._array[self._inside() :]
        if copy or (dtype is not None and np.dtype(dtype) != rest.dtype):
            return rest.astype(rest.dtype if dtype is None else dtype)
        return rest

    def __len__(self) -> int:
        """Elements from here to the end."""
        return int(self._array.shape[0]) - self._inside()

    def __repr__(self) -> str:
        name = "float" if self._dtype.name == "f64" else "int" if self._dtype.name == "i64" else self._dtype.name
        at = f", at {self._offset}" if self._offset else ""
        return f"<pointer to {self._array.shape[0]} × {name}{at}>"

    def _inside(self) -> int:
        return min(max(self._offset, 0), int(self._array.shape[0]))

    def moved(self, index: object) -> HostPointer:
        """The pointer `index` elements on."""
        try:
            step = operator.index(index)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"native.offset: the index must be an int, not {type(index).__name__}") from None
        return HostPointer(self._array, self._dtype, self._offset + step)

    def load(self) -> bool | int | float:
        """The element. Raises IndexError outside of the array."""
        place = self._offset
        if not 0 <= place < self._array.shape[0]:
            raise self._outside("load")
        found: bool | int | float = self._array.item(place)
        return found

    def store(self, value: object) -> None:
        """Writes the element. Raises IndexError outside of the array, TypeError where a value would be truncated."""
        place = self._offset
        if not 0 <= place < self._array.shape[0]:
            raise self._outside("store")
        if not self._array.flags.writeable:
            raise ValueError("native.store: the array is read-only")
        self._array[place] = convert_element(value, self._dtype, "native.store: the value")

    def _outside(self, access: str) -> IndexError:
        size = self._array.shape[0]
        held = f"{size} element" if size == 1 else f"{size} elements"
        return IndexError(f"native.{access}: index {self._offset} is outside of the array's {held}")
