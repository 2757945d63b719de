"""Which of two numbers is the larger, or the smaller: what the four helpers for it differ in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Extreme:
    """The helper `name`, for parts/extreme.j2. Of floats, `rule` says what it gives; where `takes_first` holds that is
    `a`. The same without a choice: `of_nan` where one is NaN, else `of_both`, whose zeros have two signs. `beats`
    compares numbers."""

    name: str
    rule: str
    beats: str
    takes_first: str
    of_nan: str
    of_both: str


def _extreme(name: str, *, is_largest: bool, is_number: bool) -> Extreme:
    beats, sign, joins = (">", "!", "&") if is_largest else ("<", "", "|")
    zeros = "+0 over -0" if is_largest else "-0 over +0"
    lost, of_nan = ("b != b", "(a == a ? a : b)") if is_number else ("a != a", "a + b")
    return Extreme(
        name=name,
        rule=f"{'Any number wins over NaN' if is_number else 'NaN wins over any number'}, {zeros}.",
        beats=beats,
        takes_first=f"({lost}) | (a {beats} b) | ((a == b) & {sign}std::signbit(a))",
        of_nan=of_nan,
        of_both=f"from_bits<T>(to_bits(one) {joins} to_bits(other))",
    )


EXTREMES: Final = {
    row.name: row
    for row in (
        _extreme("maximum", is_largest=True, is_number=False),
        _extreme("minimum", is_largest=False, is_number=False),
        _extreme("maximum_number", is_largest=True, is_number=True),
        _extreme("minimum_number", is_largest=False, is_number=True),
    )
}
