"""New arrays for ordinary Python: zeroed, in host memory, freed with their last reference."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from transpile.lang.dtype_names import dtype_named
from transpile.lang.pointers import HostPointer


def host_array(word: str, dtype: object) -> Callable[[int], Any]:
    """What makes arrays of `dtype`, given their length. Raises TypeError for what is no element type."""
    row = dtype_named(dtype)

    def allocate(n: int) -> HostPointer:
        import numpy as np

        try:
            count = operator.index(n)
        except TypeError:
            raise TypeError(f"{word}: the length must be an int, not {type(n).__name__}") from None
        if count < 0:
            raise ValueError(f"{word}: the length is {count}; it must be 0 or more")
        return HostPointer(np.zeros(count, row.numpy), row)

    return allocate
