"""Programs and judges: a kernel of `programs/`, its launch, and what plain Python says of the result.

The judges share nothing with the compiler: where one of them and the language differ, one of the two is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Sizes = int | tuple[int, ...]
SOURCE: Final = np.random.default_rng(0)


@dataclass(frozen=True, slots=True)
class Case:
    """One launch. `expects` is called with copies of the arguments and writes into the arrays what a launch should."""

    kernel: str
    grid: Sizes
    block: Sizes | None
    arguments: list[Any]
    expects: Callable[..., None]


def normal(count: int) -> Any:
    return SOURCE.standard_normal(count)


def halve(values: Any) -> Any:
    """The sum, by lane index, halving."""
    count = len(values)
    while count > 1:
        count //= 2
        values = values[:count] + values[count : 2 * count]
    return values[0]


def wrapped(value: int) -> int:
    """As an i64."""
    return (value + 2**63) % 2**64 - 2**63


def wrapped32(value: int) -> int:
    """As an i32."""
    return (int(value) + 2**31) % 2**32 - 2**31
