"""Bits and truth: `& | ^ ~` on integers by bit, on bools logical; shifts; `not`."""

from __future__ import annotations

import operator
from typing import Final

from transpile.ops.operation import Operation
from transpile.ops.reference import Array, ufunc


def shl(x: Array, count: Array) -> Array:
    """Shifts left; a count below 0 or of the width and more gives 0."""
    import numpy as np

    width = x.dtype.itemsize * 8
    inside = (count >= 0) & (count < width)
    return np.where(inside, np.left_shift(x, np.where(inside, count, count.dtype.type(0))), x.dtype.type(0))


def shr(x: Array, count: Array) -> Array:
    """Shifts right, keeping the sign; a count below 0 or of the width and more leaves 0 or the sign."""
    import numpy as np

    last = count.dtype.type(x.dtype.itemsize * 8 - 1)
    inside = (count >= 0) & (count <= last)
    shifted = np.right_shift(x, np.where(inside, count, last))
    return shifted if x.dtype.kind == "i" else np.where(inside, shifted, x.dtype.type(0))


def inverted(x: int) -> int:
    """`~x` of a constant; logical not of a bool."""
    return not x if isinstance(x, bool) else ~x


LOGIC: Final = (
    Operation(
        name="and",
        arity=2,
        accepts="integer_or_bool",
        result="same",
        reference=ufunc("bitwise_and"),
        symbol="&",
        doc="And, bit by bit; of bools, logical.",
        integers=operator.and_,
    ),
    Operation(
        name="or",
        arity=2,
        accepts="integer_or_bool",
        result="same",
        reference=ufunc("bitwise_or"),
        symbol="|",
        doc="Or, bit by bit; of bools, logical.",
        integers=operator.or_,
    ),
    Operation(
        name="xor",
        arity=2,
        accepts="integer_or_bool",
        result="same",
        reference=ufunc("bitwise_xor"),
        symbol="^",
        doc="Exclusive or, bit by bit; of bools, logical.",
        integers=operator.xor,
    ),
    Operation(
        name="invert",
        arity=1,
        accepts="integer_or_bool",
        result="same",
        reference=ufunc("invert"),
        symbol="~",
        doc="All bits turned; of a bool, logical not.",
        integers=inverted,
    ),
    Operation(
        name="shl",
        arity=2,
        accepts="integer",
        result="same",
        reference=shl,
        symbol="<<",
        doc="A shift to the left; a run-time count outside the width gives 0.",
        integers=operator.lshift,
    ),
    Operation(
        name="shr",
        arity=2,
        accepts="integer",
        result="same",
        reference=shr,
        symbol=">>",
        doc="A shift to the right that keeps the sign; a run-time count outside the width leaves 0 or the sign.",
        integers=operator.rshift,
    ),
    Operation(
        name="not",
        arity=1,
        accepts="bool",
        result="bool",
        reference=ufunc("logical_not"),
        symbol="not",
        doc="Logical not of a bool.",
    ),
)
