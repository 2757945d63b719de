"""Division by one number for many: rows that the lowering makes of `/`, and that nobody can write."""

from __future__ import annotations

from typing import Final

from transpile.ops.operation import Operation
from transpile.ops.reference import Array


def reciprocal(b: Array) -> Array:
    """1 / b where `divided` may go by it: where both are normal. NaN elsewhere."""
    import numpy as np

    least, size = np.finfo(b.dtype).tiny, np.abs(b)
    return np.where((size >= least) & (size <= 1 / least), 1 / b, np.nan).astype(b.dtype)


def divided(a: Array, b: Array, inverse: Array) -> Array:
    """a / b, whatever the reciprocal of b is."""
    return a / b


DIVISIONS: Final = (
    Operation(
        name="reciprocal",
        arity=1,
        accepts="float",
        result="same",
        reference=reciprocal,
        symbol="reciprocal",
        doc="What quotients by one number are multiplied by.",
        ways=("ends",),
        is_internal=True,
    ),
    Operation(
        name="divided",
        arity=3,
        accepts="float",
        result="same",
        reference=divided,
        symbol="divided",
        doc="The IEEE 754 quotient of the first two, the third being the reciprocal of the second.",
        ways=("ends", "ends", "ends"),
        is_internal=True,
    ),
)
