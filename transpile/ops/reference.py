"""What the definitions of the rows are made of: NumPy ufuncs that are exact. NumPy is imported at the first call, so
that a command which only emits text never pays for it.

Overflow, division by zero and NaN are ordinary values here: who calls a definition does so inside
`numpy.errstate(all="ignore")`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Array = Any  # numpy.ndarray; NumPy itself is imported lazily


class Reference(Protocol):
    """Arrays of the operand dtype in, one array of the result dtype out."""

    def __call__(self, *operands: Array) -> Array: ...


def ufunc(name: str) -> Reference:
    """A NumPy ufunc as a definition. Only exact ones: integer, comparing, and the correctly rounded `+ - * / sqrt`."""
    found: Callable[..., Array] | None = None

    def reference(*operands: Array) -> Array:
        nonlocal found
        if found is None:
            import numpy as np

            found = getattr(np, name)
            assert found is not None
        return found(*operands)

    reference.__name__ = name
    return reference
