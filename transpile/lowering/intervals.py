"""Arithmetic on intervals of integers, as the language computes: what leaves its type's range wraps, and may be
anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from transpile.dtypes import DType

Interval: TypeAlias = "tuple[int, int]"
BIT: Final[Interval] = (0, 1)


def full(dtype: DType) -> Interval:
    """Everything that an integer or bool type holds."""
    return BIT if dtype.kind == "bool" else (dtype.min, dtype.max)


def join(left: Interval, right: Interval) -> Interval:
    return min(left[0], right[0]), max(left[1], right[1])


def fits(interval: Interval, dtype: DType) -> bool:
    low, high = full(dtype)
    return low <= interval[0] and interval[1] <= high


def apply(op: str, operands: Sequence[Interval], dtype: DType) -> tuple[Interval, bool]:
    """What an elementwise row makes of integers or bools of `dtype`, and whether the plain operator of C++ is right
    for it: nothing wraps, no divisor is 0, nothing has to be rounded down."""
    exact = _exactly(op, operands, dtype)
    if exact is not None and fits(exact, dtype):
        return exact, True
    low, high = _loosely(op, operands, dtype)
    least, most = full(dtype)
    return (max(low, least), min(high, most)), False


def _exactly(op: str, operands: Sequence[Interval], dtype: DType) -> Interval | None:
    """The interval in whole numbers where the plain operator gives them; None where it may not."""
    low, high = operands[0]
    if len(operands) == 1:
        match op:
            case "neg":
                return -high, -low
            case "pos" | "floor" | "ceil" | "round" | "trunc":
                return low, high
            case "abs":
                return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
            case "invert":
                return (1 - high, 1 - low) if dtype.kind == "bool" else (~high, ~low)
            case "not":
                return 1 - high, 1 - low
            case _:
                return None
    (a, b), (c, d) = operands[0], operands[1]
    match op:
        case "add":
            return a + c, b + d
        case "sub":
            return a - d, b - c
        case "mul":
            corners = [x * y for x in (a, b) for y in (c, d)]
            return min(corners), max(corners)
        case "floordiv" if a >= 0 and c > 0:
            return a // d, b // c
        case "mod" if a >= 0 and c > 0:
            return (a, b) if b < c else (0, min(b, d - 1))
        case "shl" if a >= 0 and 0 <= c <= d < dtype.bits:
            return a << c, b << d
        case "shr" if 0 <= c <= d < dtype.bits:
            return min(a >> c, a >> d), max(b >> c, b >> d)
        case _:
            return None


def _loosely(op: str, operands: Sequence[Interval], dtype: DType) -> Interval:
    """Bounds that hold whatever wraps or divides by 0."""
    everything = full(dtype)
    if len(operands) < 2:
        return everything
    (a, b), (c, d) = operands[-2], operands[-1]
    match op:
        case "maximum" | "fmax":
            return max(a, c), max(b, d)
        case "minimum" | "fmin":
            return min(a, c), min(b, d)
        case "where":
            return join((a, b), (c, d))
        case "and":
            return _and((a, b), (c, d), everything)
        case "or" | "xor":
            return _or((a, b), (c, d), everything) if op == "or" or min(a, c) >= 0 else everything
        case "mod":
            return min(0, c + 1), max(0, d - 1)
        case "floordiv" if not (a == everything[0] and c <= -1 <= d):
            return -max(abs(a), abs(b)), max(abs(a), abs(b))
        case "shr" if c >= 0:
            return min(a, 0 if a >= 0 else a, a >> min(c, 64)), max(b, -1 if b < 0 else b)
        case _:
            return everything


def _and(left: Interval, right: Interval, everything: Interval) -> Interval:
    """A number that is not negative bounds the result, whatever the other is."""
    bounds = [high for low, high in (left, right) if low >= 0]
    if bounds:
        return 0, min(bounds)
    return everything[0], max(left[1], right[1])


def _or(left: Interval, right: Interval, everything: Interval) -> Interval:
    if left[0] >= 0 and right[0] >= 0:
        return 0, min((1 << max(left[1], right[1]).bit_length()) - 1, everything[1])
    return min(left[0], right[0], 0), everything[1]


def compare(op: str, left: Interval, right: Interval) -> Interval:
    """What a comparison of integers gives, as a bit."""
    (a, b), (c, d) = left, right
    match op:
        case "lt":
            return int(b < c), int(a < d)
        case "le":
            return int(b <= c), int(a <= d)
        case "gt":
            return compare("lt", right, left)
        case "ge":
            return compare("le", right, left)
        case "eq":
            return int(a == b == c == d), int(a <= d and c <= b)
        case "ne":
            low, high = compare("eq", left, right)
            return 1 - high, 1 - low
        case _:
            return BIT


NEGATED: Final = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
SWAPPED: Final = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def narrowed(interval: Interval, op: str, other: Interval) -> Interval | None:
    """`interval` where `it <op> other` holds; None where it cannot hold."""
    low, high = interval
    match op:
        case "lt":
            high = min(high, other[1] - 1)
        case "le":
            high = min(high, other[1])
        case "gt":
            low = max(low, other[0] + 1)
        case "ge":
            low = max(low, other[0])
        case "eq":
            low, high = max(low, other[0]), min(high, other[1])
        case "ne" if other[0] == other[1]:
            low, high = low + (low == other[0]), high - (high == other[0])
        case _:
            pass
    return (low, high) if low <= high else None
