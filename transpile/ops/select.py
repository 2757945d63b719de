"""Selection: `where`, and the two families of maximum and minimum. +0 is above -0 in all of them."""

from __future__ import annotations

from typing import Final

from transpile.ops.operation import Operation
from transpile.ops.reference import Array


def where(condition: Array, a: Array, b: Array) -> Array:
    """`a` where the condition holds, else `b`; both are already evaluated."""
    import numpy as np

    return np.where(condition, a, b)


def maximum(a: Array, b: Array) -> Array:
    """The larger; NaN if either is NaN."""
    import numpy as np

    larger: Array = np.where(a > b, a, b)
    if larger.dtype.kind != "f":
        return larger
    open_ = ~((a > b) | (a < b))
    if open_.any():
        equal = np.where(np.signbit(a), b, a)
        larger = np.where(open_, np.where(a == b, equal, np.where(np.isnan(a), a, b)), larger)
    return larger


def minimum(a: Array, b: Array) -> Array:
    """The smaller; NaN if either is NaN."""
    import numpy as np

    smaller: Array = np.where(a < b, a, b)
    if smaller.dtype.kind != "f":
        return smaller
    open_ = ~((a > b) | (a < b))
    if open_.any():
        equal = np.where(np.signbit(a), a, b)
        smaller = np.where(open_, np.where(a == b, equal, np.where(np.isnan(a), a, b)), smaller)
    return smaller


def fmax(a: Array, b: Array) -> Array:
    """The larger; a NaN loses to a number."""
    import numpy as np

    if a.dtype.kind != "f":
        return maximum(a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, maximum(a, b)))


def fmin(a: Array, b: Array) -> Array:
    """The smaller; a NaN loses to a number."""
    import numpy as np

    if a.dtype.kind != "f":
        return minimum(a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, minimum(a, b)))


SELECTIONS: Final = (
    Operation(
        name="where",
        arity=3,
        accepts="any",
        result="same",
        reference=where,
        symbol="where",
        doc="`a` where the condition holds, else `b`; both are evaluated.",
        spellings=("tile.where", "native.where"),
        ways=("ends", "on", "on"),
    ),
    Operation(
        name="maximum",
        arity=2,
        accepts="number",
        result="same",
        reference=maximum,
        symbol="maximum",
        doc="The larger; NaN if either is NaN; +0 is above -0.",
        spellings=("tile.maximum", "native.maximum", "builtin.max"),
        ways=("on", "on"),
        integers=max,
    ),
    Operation(
        name="minimum",
        arity=2,
        accepts="number",
        result="same",
        reference=minimum,
        symbol="minimum",
        doc="The smaller; NaN if either is NaN; +0 is above -0.",
        spellings=("tile.minimum", "native.minimum", "builtin.min"),
        ways=("on", "on"),
        integers=min,
    ),
    Operation(
        name="fmax",
        arity=2,
        accepts="number",
        result="same",
        reference=fmax,
        symbol="fmax",
        doc="The larger; a NaN loses to a number; +0 is above -0.",
        spellings=("tile.fmax", "native.fmax"),
        ways=("on", "on"),
        integers=max,
    ),
    Operation(
        name="fmin",
        arity=2,
        accepts="number",
        result="same",
        reference=fmin,
        symbol="fmin",
        doc="The smaller; a NaN loses to a number; +0 is above -0.",
        spellings=("tile.fmin", "native.fmin"),
        ways=("on", "on"),
        integers=min,
    ),
)
