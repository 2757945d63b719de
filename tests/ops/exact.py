"""Judges of arithmetic that share nothing with the rows: integers of any size, fractions, and one rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: `digits` of precision, exponents from `lowest` to `highest`."""

    digits: int
    lowest: int
    highest: int


F8E4M3: Final = Format(4, -6, 8)  # with a number for the NaN of all ones
F8E5M2: Final = Format(3, -14, 15)
F16: Final = Format(11, -14, 15)
BF16: Final = Format(8, -126, 127)
F32: Final = Format(24, -126, 127)
F64: Final = Format(53, -1022, 1023)


def nearest(exact: Fraction, form: Format) -> float:
    """The nearest number of the format, ties to even, overflow to infinity. Zero comes back as +0."""
    if exact == 0:
        return 0.0
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, form.lowest) - form.digits + 1)
    whole, rest = divmod(magnitude, unit)
    steps = int(whole)
    if rest * 2 > unit or (rest * 2 == unit and steps % 2 == 1):
        steps += 1
    rounded = steps * unit
    value = math.inf if rounded >= Fraction(2) ** (form.highest + 1) else float(rounded)
    return value if exact > 0 else -value


def wrapped(value: int, bits: int) -> int:
    """Two's complement."""
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def floor_mod(x: float, y: float, form: Format) -> tuple[float, float]:
    """CPython's float `divmod`, each step an exact fraction rounded once; NaN for a zero divisor."""
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0.0:
        return math.nan, math.nan
    if math.isinf(y):
        same = x == 0.0 or (x < 0) == (y < 0)
        remainder = math.copysign(0.0, y) if x == 0.0 else x if same else y
        quotient = math.copysign(0.0, x) * math.copysign(1.0, y) if same else -1.0
        return quotient, remainder
    exact_x, exact_y = Fraction(x), Fraction(y)
    cut = exact_x - exact_y * math.trunc(exact_x / exact_y)
    quotient = nearest(Fraction(nearest(exact_x - cut, form)) / exact_y, form)
    if cut != 0 and (cut < 0) != (exact_y < 0):
        remainder = nearest(cut + exact_y, form)
        quotient = quotient if math.isinf(quotient) else nearest(Fraction(quotient) - 1, form)
    else:
        remainder = nearest(cut, form) if cut != 0 else math.copysign(0.0, y)
    if quotient == 0.0:
        return math.copysign(0.0, x) * math.copysign(1.0, y), remainder
    if math.isinf(quotient):
        return quotient, remainder
    whole = float(math.floor(quotient))
    if Fraction(quotient) - Fraction(whole) > Fraction(1, 2):
        whole = nearest(Fraction(whole) + 1, form)
    return whole, remainder
