"""Rounds of measurements, the contestants interleaved, and the tables that the device benchmarks make of them.

A benchmark script calls `main` with its function; it prints Markdown, or with --json one JSON object for `devices.py`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any, Final, TypeVar

REST_SECONDS: Final = 0.01
_T = TypeVar("_T")
UNITS: Final = {"us": 1e6, "ms": 1e3, "s": 1.0}


@dataclass(frozen=True, slots=True)
class Contestant:
    """`run` does the work `units` times, and is timed; in each round `warm` goes before it and `settle` follows it
    untimed. A check comes before everything.

    Where `run` returns a float, that is the time of all of it in seconds, and the clock's reading is not used.
    """

    name: str
    run: Callable[[], object]
    units: int = 1
    check: Callable[[], None] | None = None
    settle: Callable[[], object] | None = None
    warm: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """What one contestant took, in seconds a unit, one number a round."""

    name: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def best(self) -> float:
        return min(self.rounds)


@dataclass(frozen=True, slots=True)
class Goal:
    """A stated goal and what was seen; `limit` is the most that is allowed, or with `at_least` the least."""

    text: str
    seen: float
    limit: float
    at_least: bool = False
    unit: str = "x"

    @property
    def is_met(self) -> bool:
        return self.seen >= self.limit if self.at_least else self.seen <= self.limit


@dataclass(slots=True)
class Table:
    """One table: its contestants' series, the goals that it decides, and what has to be known to read it."""

    title: str
    unit: str
    base: str  # the contestant that the others are divided by
    series: list[Series] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def find(self, *names: str) -> Series | None:
        """The first of `names` that was measured."""
        for name in names:
            for each in self.series:
                if each.name == name:
                    return each
        return None

    def compare(
        self,
        text: str,
        ours: str,
        others: str | Iterable[str],
        limit: float,
        *,
        by: str = "median",
        slower: bool = False,
    ) -> None:
        """Adds a goal: ours takes at most `limit` times the fastest others; `slower`: they take `limit` times ours."""
        names = [others] if isinstance(others, str) else list(others)
        mine = self.find(ours)
        theirs = [found for name in names if (found := self.find(name)) is not None]
        if mine is None or not theirs:
            self.notes.append(f"not decided: {text} ({ours if mine is None else ', '.join(names)} was not measured)")
            return
        fastest = min(getattr(each, by) for each in theirs)
        own = getattr(mine, by)
        seen = fastest / own if slower else own / fastest
        self.goals.append(Goal(text, seen, limit, at_least=slower))

    def limit(self, text: str, seen: float, limit: float, unit: str) -> None:
        """Adds a goal: what was seen is at most `limit`."""
        self.goals.append(Goal(text, seen, limit, unit=unit))


def race(table: Table, contestants: Sequence[Contestant], rounds: int, rest: float = REST_SECONDS) -> None:
    """Fills the table: each round runs every contestant once, in an order drawn anew, with rest before each.

    A contestant that fails, or whose result is wrong, is left out with a note.
    """
    ready = [each for each in contestants if _succeeds(table, each)]
    times: dict[str, list[float]] = {each.name: [] for each in ready}
    order = Random(0)
    for _ in range(rounds):
        for each in order.sample(ready, len(ready)):
            time.sleep(rest)
            if each.warm is not None:
                each.warm()
            started = time.perf_counter()
            told = each.run()
            took = time.perf_counter() - started
            if each.settle is not None:
                each.settle()
            times[each.name].append((told if isinstance(told, float) else took) / each.units)
    table.series += [Series(name, tuple(seconds)) for name, seconds in times.items()]


def _succeeds(table: Table, contestant: Contestant) -> bool:
    """Runs the check, then the work once, untimed."""
    try:
        if contestant.check is not None:
            contestant.check()
        contestant.run()
        if contestant.settle is not None:
            contestant.settle()
    except Exception as error:  # a peer that fails must not end the rest
        table.notes.append(f"{contestant.name}: not measured: {brief(error)}")
        return False
    return True


def brief(error: BaseException) -> str:
    """The last line that says something of an error, without what could break a table."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:300].replace("|", "/")


def optional(table: Table, name: str, make: Callable[[], Iterable[_T]]) -> list[_T]:
    """What comes of a package that may be missing, or may not work here."""
    try:
        return list(make())
    except Exception as error:
        table.notes.append(f"{name}: not measured: {brief(error)}")
        return []


# ---------------------------------------------------------------- what is printed


def markdown(table: Table) -> str:
    lines = [f"### {table.title}", ""]
    if table.series:
        base = table.find(table.base)
        scale = UNITS[table.unit]
        against = f" | median / {table.base} | best / {table.base}" if base is not None else ""
        lines += [
            f"| | median, {table.unit} | best, {table.unit} | worst, {table.unit}{against} |",
            "| --- | --- | --- | ---" + (" | --- | --- |" if base is not None else " |"),
        ]
        for each in table.series:
            cells = [each.name, *(f"{t * scale:.4g}" for t in (each.median, each.best, max(each.rounds)))]
            if base is not None:
                cells += [f"{each.median / base.median:.3f}", f"{each.best / base.best:.3f}"]
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    for goal in table.goals:
        word = "at least" if goal.at_least else "at most"
        met = "met" if goal.is_met else "MISSED"
        lines.append(f"- {goal.text}: **{goal.seen:.3g} {goal.unit}**, goal {word} {goal.limit:g} {goal.unit}: {met}")
    lines += [f"- {note}" for note in table.notes]
    return "\n".join(lines) + "\n"


def to_json(tables: Sequence[Table]) -> str:
    return json.dumps([asdict(table) for table in tables])


def from_json(text: str) -> list[Table]:
    return [_table(found) for found in json.loads(text)]


def _table(found: dict[str, Any]) -> Table:
    series = [Series(each["name"], tuple(each["rounds"])) for each in found.pop("series")]
    goals = [Goal(**each) for each in found.pop("goals")]
    return Table(**found, series=series, goals=goals)


def main(measure: Callable[[argparse.Namespace], list[Table]], description: str) -> None:
    """The command line of every device benchmark."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="for devices.py: the tables as one JSON object")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each measurement (default: 9)")
    parser.add_argument("--log2", type=int, default=24, help="of the doubles in an array (default: 24)")
    parser.add_argument("--modules", default=None, help="folder of the modules that devices.py built")
    options = parser.parse_args()
    try:
        tables = measure(options)
    except Exception as error:
        traceback.print_exc()
        tables = [Table(description, "s", "", notes=[f"failed: {brief(error)}"])]
    sys.stdout.write(to_json(tables) + "\n" if options.json else "\n".join(map(markdown, tables)))
