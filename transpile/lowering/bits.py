"""Which bits of a signed integer are known, whatever the rest of it is: `x | 3` is never 0, `x & 4` never 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Bits:
    """`ones` and `zeros` are masks of the bits that are known to be 1 and 0. A sign goes on for ever to the left."""

    ones: int = 0
    zeros: int = 0

    def __invert__(self) -> Bits:
        return Bits(self.zeros, self.ones)

    def __or__(self, other: Bits) -> Bits:
        return Bits(self.ones | other.ones, self.zeros & other.zeros)

    def __and__(self, other: Bits) -> Bits:
        return ~(~self | ~other)

    def __xor__(self, other: Bits) -> Bits:
        return (self & ~other) | (~self & other)

    def join(self, other: Bits) -> Bits:
        """What is known of one or the other."""
        return Bits(self.ones & other.ones, self.zeros & other.zeros)

    def differs(self, other: Bits) -> bool:
        """True where the two numbers cannot be equal."""
        return (self.ones & other.zeros) | (self.zeros & other.ones) != 0


UNKNOWN: Final = Bits()


def of_constant(value: int) -> Bits:
    return Bits(value, ~value)


def apply(op: str, operands: Sequence[Bits]) -> Bits:
    """What an elementwise row leaves known."""
    match op, operands:
        case "pos", [only]:
            return only
        case "invert", [only]:
            return ~only
        case "or", [left, right]:
            return left | right
        case "and", [left, right]:
            return left & right
        case "xor", [left, right]:
            return left ^ right
        case "where" | "maximum" | "minimum" | "fmax" | "fmin", [*_, left, right]:
            return left.join(right)
        case _:
            return UNKNOWN
