"""Pointers outside of kernels: one-dimensional arrays of one element type, and places in them.

`native.stack_alloc` and `cuda.device_alloc` make them, `native.offset` moves them, and NumPy arrays, like anything with
the buffer protocol, become them. Every `native.load` and `native.store` is checked against the whole array.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from transpile.dtypes import DType
from transpile.lang.scalars import convert_element
from transpile.rounding import bits_of, value_of

Array = Any  # numpy.ndarray; NumPy itself is imported where an array is made
Memory: TypeAlias = "memoryview[Any]"
# What the elements are for a memoryview, which knows no narrow floats.
FORMATS: Final[Mapping[tuple[str, int], Any]] = {
    ("bool", 8): "?",
    ("int", 8): "b",
    ("int", 16): "h",
    ("int", 32): "i",
    ("int", 64): "q",
    ("uint", 8): "B",
    ("uint", 16): "H",
    ("uint", 32): "I",
    ("uint", 64): "Q",
    ("float", 32): "f",
    ("float", 64): "d",
}


def zeros(count: int, dtype: DType) -> Memory:
    """New memory. Raises MemoryError."""
    kind = "uint" if dtype.is_narrow_float else dtype.kind
    found: Memory = memoryview(bytearray(count * dtype.bytes)).cast(FORMATS[kind, dtype.bits])
    return found


def as_elements(memory: Any, dtype: DType) -> Any:
    """Memory that holds the bits of narrow floats as a NumPy array of these, where there is a NumPy type for them: that
    of ml_dtypes, if it is installed. Any other memory as it is."""
    if not dtype.is_narrow_float:
        return memory
    import numpy as np

    if dtype.is_numpys:
        return np.asarray(memory).view(dtype.numpy)
    try:
        import ml_dtypes
    except ImportError:
        return memory
    return np.asarray(memory).view(getattr(ml_dtypes, dtype.numpy))


class HostPointer:
    """A place in an array, `offset` elements from its start; it may lie outside, as long as nothing is read there. The
    memory of narrow floats holds their bits.

    `numpy.asarray(pointer)` is the rest of the array from there, without a copy.
    """

    __slots__ = ("_dtype", "_memory", "_offset")

    def __init__(self, memory: Memory, dtype: DType, offset: int = 0) -> None:
        self._memory = memory
        self._dtype = dtype
        self._offset = offset

    @property
    def element_type(self) -> DType:
        return self._dtype

    @property
    def __transpile_pointer__(self) -> tuple[object, int]:
        """The whole array, and how many elements on this points."""
        return as_elements(self._memory, self._dtype), self._offset

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        import numpy as np

        rest = as_elements(np.asarray(self._read())[self._inside() :], self._dtype)
        if copy or (dtype is not None and np.dtype(dtype) != rest.dtype):
            return rest.astype(rest.dtype if dtype is None else dtype)
        return rest

    def __len__(self) -> int:
        """Elements from here to the end."""
        return self._count() - self._inside()

    def __repr__(self) -> str:
        name = "float" if self._dtype.name == "f64" else "int" if self._dtype.name == "i64" else self._dtype.name
        at = f", at {self._offset}" if self._offset else ""
        return f"<pointer to {self._count()} × {name}{at}>"

    def moved(self, index: object) -> HostPointer:
        """The pointer `index` elements on."""
        try:
            step = operator.index(index)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"native.offset: the index must be an int, not {type(index).__name__}") from None
        return self._at(self._offset + step)

    def load(self) -> bool | int | float:
        """The element. Raises IndexError outside of the array."""
        if not 0 <= self._offset < self._count():
            raise self._outside("load")
        found: bool | int | float = self._read()[self._offset]
        return value_of(int(found), self._dtype) if self._dtype.is_narrow_float else found

    def store(self, value: object) -> None:
        """Writes the element. Raises IndexError outside of the array, TypeError where a value would be truncated."""
        if not 0 <= self._offset < self._count():
            raise self._outside("store")
        memory = self._write()
        if memory.readonly:
            raise ValueError("native.store: the array is read-only")
        number = convert_element(value, self._dtype, "native.store: the value")
        memory[self._offset] = bits_of(float(number), self._dtype) if self._dtype.is_narrow_float else number

    # ------------------------------------------------------------ what an array on a device does otherwise

    def _count(self) -> int:
        return len(self._memory)

    def _read(self) -> Memory:
        """The elements, for reading."""
        return self._memory

    def _write(self) -> Memory:
        """The elements, to write one."""
        return self._memory

    def _at(self, offset: int) -> HostPointer:
        return HostPointer(self._memory, self._dtype, offset)

    def _inside(self) -> int:
        return min(max(self._offset, 0), self._count())

    def _outside(self, access: str) -> IndexError:
        size = self._count()
        held = f"{size} element" if size == 1 else f"{size} elements"
        return IndexError(f"native.{access}: index {self._offset} is outside of the array's {held}")
