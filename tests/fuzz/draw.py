"""Where the generator's choices come from: hypothesis, or a seeded generator for long runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Draw(Protocol):
    """A source of choices. Simpler choices come first: the least integer, the first option, False."""

    def integer(self, least: int, most: int) -> int: ...

    def pick(self, options: Sequence[T]) -> T: ...

    def chance(self, percent: int) -> bool: ...


@cache
def _integers(least: int, most: int) -> st.SearchStrategy[int]:
    return st.integers(least, most)


class HypothesisDraw:
    """Choices that hypothesis makes, and makes smaller when a program fails."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def integer(self, least: int, most: int) -> int:
        return int(self._draw(_integers(least, most)))

    def pick(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent


class RandomDraw:
    """Choices from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, least: int, most: int) -> int:
        return self._random.randint(least, most)

    def pick(self, options: Sequence[T]) -> T:
        return options[self._random.randrange(len(options))]

    def chance(self, percent: int) -> bool:
        return self._random.randrange(100) >= 100 - percent
