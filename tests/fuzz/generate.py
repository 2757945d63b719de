"""Programs by hypothesis for the suite, by seeds for long runs."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.draw import Draw, HypothesisDraw, RandomDraw
from tests.fuzz.masked_programs import masked_program
from tests.fuzz.program import Program
from tests.fuzz.thread_programs import thread_program
from tests.fuzz.tile_programs import tile_program


def one_program(draw: Draw) -> Program:
    return tile_program(draw) if draw.chance(55) else thread_program(draw)


@st.composite
def programs(draw: Any) -> Program:
    """A strategy for programs of both dialects."""
    return one_program(HypothesisDraw(draw))


def by_hypothesis(number: int, count: int) -> list[Program]:
    """`count` programs, the same ones for the same number. Each has a seed of its own: left to itself, hypothesis makes
    many of them out of one another."""
    return [_last_example(number * count + place) for place in range(count)]


def _last_example(number: int) -> Program:
    """The second program that hypothesis makes from a seed; the first is always the simplest there is."""
    found: list[Program] = []

    @seed(number)
    @settings(
        max_examples=2,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def collect(program: Program) -> None:
        found.append(program)

    collect()
    return found[-1]


def by_seed(number: int) -> Program:
    return one_program(RandomDraw(number))


def masked_by_seed(number: int) -> Program:
    return masked_program(RandomDraw(number))
