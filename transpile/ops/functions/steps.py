"""Functions of a step or two: `runtime_cpp/math/relu.hpp` and `rsqrt.hpp`."""

from __future__ import annotations

from transpile.ops.functions.numbers import real
from transpile.ops.reference import Array


def relu(x: Array) -> Array:
    """x where it is above 0 or NaN, else 0."""
    import numpy as np

    return np.where((x > 0) | (x != x), x, real(x, "0.0"))


def rsqrt(x: Array) -> Array:
    """1 / sqrt(x)."""
    import numpy as np

    return real(x, "1.0") / np.sqrt(x)
