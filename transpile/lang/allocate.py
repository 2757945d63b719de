"""New arrays for ordinary Python: zeroed, in host memory or on the target's device, freed with their last reference."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from transpile.dtypes import DType
from transpile.lang import target as targets
from transpile.lang.dtype_names import dtype_named
from transpile.lang.pointers import HostPointer, zeros


def host_array(word: str, dtype: object) -> Callable[[int], Any]:
    """What makes arrays of `dtype` in host memory, given their length. Raises TypeError for what is no element type."""
    row = dtype_named(dtype)

    def allocate(n: int) -> HostPointer:
        return HostPointer(zeros(_count(word, n, row), row), row)

    return allocate


def device_array(word: str, dtype: object) -> Callable[[int], Any]:
    """The same on the device of the target; in host memory for the reference and the CPU."""
    row = dtype_named(dtype)

    def allocate(n: int) -> HostPointer:
        count, target = _count(word, n, row), targets.asked()
        if target not in ("cuda", "hip"):
            return HostPointer(zeros(count, row), row)
        from transpile import live
        from transpile.lang.mirror import DevicePointer, Mirror

        return DevicePointer(Mirror(live.allocate(target, row.name, count), row), row)

    return allocate


def _count(word: str, n: object, dtype: DType) -> int:
    try:
        count = operator.index(n)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{word}: the length must be an int, not {type(n).__name__}") from None
    if count < 0:
        raise ValueError(f"{word}: the length is {count}; it must be 0 or more")
    if count * dtype.bytes > sys.maxsize:
        raise MemoryError(f"no machine holds {count} elements of {dtype.bytes} bytes")
    return count
