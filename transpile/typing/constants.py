"""Arithmetic on literals and captured values: integers exactly, floats where Python's own operation is IEEE 754's.

What is not done here (a float `//`, a float `/` by zero) is left to run time, where the row's definition decides.
"""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Callable, Sequence
from typing import Final

from transpile import dtypes
from transpile.dtypes import DType
from transpile.typing.operand import Number

MAX_BITS: Final = 4096  # of an intermediate integer: whatever fits in the end needs far fewer

_INTEGERS: Final[dict[str, Callable[..., Number]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "maximum": max,
    "minimum": min,
    "fmax": max,
    "fmin": min,
}
_BITS: Final[dict[str, Callable[..., Number]]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_FLOATS: Final[dict[str, Callable[..., Number]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
}
_COMPARISONS: Final[dict[str, Callable[..., bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def is_too_wide(op: str, values: Sequence[Number]) -> bool:
    """Whether an exact integer result would have thousands of bits."""
    if not all(isinstance(value, int) for value in values):
        return False
    left = int(values[0])
    if op == "shl":
        return left != 0 and left.bit_length() + int(values[1]) > MAX_BITS
    return op == "mul" and left.bit_length() + int(values[1]).bit_length() > MAX_BITS


def fold(op: str, values: Sequence[Number]) -> Number | None:
    """The result of row `op`, or None where it is not folded. Zero divisors and negative shifts are refused before."""
    if op in _COMPARISONS:
        left, right = _alike(values)
        return _COMPARISONS[op](left, right)
    if all(isinstance(value, int) for value in values):
        return _fold_integers(op, [int(value) for value in values], all(isinstance(value, bool) for value in values))
    if op in _FLOATS:
        return _FLOATS[op](*map(float, values))
    if op == "truediv" and float(values[1]) != 0.0:
        return float(values[0]) / float(values[1])
    return None


def _alike(values: Sequence[Number]) -> Sequence[Number]:
    """Floats, if one is: a kernel compares in f64, not exactly as Python does."""
    return [float(value) for value in values] if any(isinstance(value, float) for value in values) else values


def _fold_integers(op: str, values: list[int], all_bools: bool) -> Number | None:
    if op in _BITS:
        result = _BITS[op](*values)
        return bool(result) if all_bools else result
    if op == "invert":
        return not values[0] if all_bools else ~values[0]
    if op == "truediv" and values[1] != 0:
        return float(values[0]) / float(values[1])
    return _INTEGERS[op](*values) if op in _INTEGERS else None


def round_to(value: Number, dtype: DType) -> Number:
    """`value` as a constant of `dtype`, rounded once; integers that do not fit are refused before."""
    if dtype is dtypes.BOOL:
        return value != 0
    if dtype.is_integer:
        return int(value)
    if isinstance(value, int):
        value = _round_integer(int(value), dtype)
    return float(ctypes.c_float(value).value) if dtype is dtypes.F32 else value


def _round_integer(value: int, dtype: DType) -> float:
    """To nearest even at the significand of `dtype` straight from the integer, not by way of f64."""
    excess = abs(value).bit_length() - (dtype.mantissa + 1)
    if excess <= 0:
        return float(value)
    kept, rest = abs(value) >> excess, abs(value) & ((1 << excess) - 1)
    half = 1 << (excess - 1)
    if rest > half or (rest == half and kept & 1):
        kept += 1
    return math.copysign(math.ldexp(kept, excess), value)
