"""What the definitions of the rows are made of: NumPy ufuncs that are exact, called quietly. NumPy is imported at the
first call, so that a command which only emits text never pays for it."""

from __future__ import annotations

from typing import Any, Protocol

Array = Any  # numpy.ndarray; NumPy itself is imported lazily


class Reference(Protocol):
    """Arrays of the operand dtype in, one array of the result dtype out."""

    def __call__(self, *operands: Array) -> Array: ...


def ufunc(name: str) -> Reference:
    """A NumPy ufunc as a definition. Only exact ones: integer, comparing, and the correctly rounded `+ - * / sqrt`."""

    def reference(*operands: Array) -> Array:
        import numpy as np

        with np.errstate(all="ignore"):
            return getattr(np, name)(*operands)

    reference.__name__ = name
    return reference
