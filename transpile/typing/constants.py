"""Arithmetic on literals and captured values: integers exactly, floats as IEEE 754 has them, as the rows define it.

What a row does not define for constants is left to run time, where its reference decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from transpile import dtypes
from transpile.dtypes import DType, Number
from transpile.ops.table import OPERATIONS
from transpile.rounding import nearest

Undefined: TypeAlias = Literal["zero division", "negative shift"]
DIVISIONS: Final = ("truediv", "floordiv", "mod")
MAX_BITS: Final = 4096  # of an intermediate integer: whatever fits in the end needs far fewer


def is_too_wide(op: str, values: Sequence[Number]) -> bool:
    """Whether an exact integer result would have thousands of bits."""
    if not all(isinstance(value, int) for value in values):
        return False
    left = int(values[0])
    if op == "shl":
        return left != 0 and left.bit_length() + int(values[1]) > MAX_BITS
    return op == "mul" and left.bit_length() + int(values[1]).bit_length() > MAX_BITS


def undefined(op: str, last: Number | None) -> Undefined | None:
    """What Python refuses, by the last operand: `//` and `%` by the integer 0, a shift by a negative constant."""
    if not isinstance(last, int):
        return None
    if op in ("floordiv", "mod") and last == 0:
        return "zero division"
    return "negative shift" if op in ("shl", "shr") and last < 0 else None


def fold(op: str, values: Sequence[Number]) -> Number | None:
    """The result of row `op`, None where it is not folded. What is undefined is refused before.

    A float beside an integer makes one of it: a kernel computes and compares in f64. Raises OverflowError where the
    integer is too large for that.
    """
    row = OPERATIONS[op]
    if any(isinstance(value, float) for value in values):
        return row.floats(*map(float, values)) if row.floats is not None else None
    if row.integers is None:
        return None
    return row.integers(*(values if row.accepts == "integer_or_bool" else map(int, values)))


def round_to(value: Number, dtype: DType) -> Number:
    """`value` as a constant of `dtype`, rounded once; integers that do not fit are refused before."""
    if dtype is dtypes.BOOL:
        return value != 0
    if dtype.is_integer:
        return int(value)
    return nearest(value, dtype)
