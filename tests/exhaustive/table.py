"""Outcomes as lines of a terminal and as a table in Markdown."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

from tests.exhaustive.run import Outcome
from transpile import dtypes
from transpile.build.devices import nvidia

LIMITS: Final = {dtypes.F32: 2.0, dtypes.F64: 3.0}  # units of the last place that the language allows
HEAD: Final = ("function", "type", "inputs", "different bits", "worst ulp", "at")


def is_good(outcome: Outcome) -> bool:
    """Whether all bits are the same and every result is near enough."""
    return outcome.different == 0 and outcome.distance.worst <= LIMITS[outcome.inputs.dtype]


def line(outcome: Outcome) -> str:
    """One outcome for a terminal, with the first inputs that differ."""
    different = "".join(
        f"; {name} differs on {verdict.different}, first {_at(outcome, verdict.different_x, verdict.different_y)}"
        for name, verdict in outcome.others.items()
        if verdict.different
    )
    name, dtype = outcome.row.name, outcome.inputs.dtype
    word = "good" if is_good(outcome) else "BAD"
    return (
        f"{word} {name} {dtype}: {outcome.inputs.count} inputs, {_worst(outcome)}{different}, {outcome.seconds:.1f} s"
    )


def table(outcomes: Sequence[Outcome], targets: Sequence[str]) -> str:
    """The outcomes, one a row. `different bits` are counted against the first target, on every other one."""
    lines = [f"{_machine()} The results of {targets[0]} are judged.", "", _row(HEAD), _row(["---"] * len(HEAD))]
    for outcome in outcomes:
        verdict, name = outcome.distance, outcome.row.name
        different = ", ".join(f"{target} {each.different}" for target, each in outcome.others.items()) or "-"
        at = f"`{_at(outcome, verdict.worst_x, verdict.worst_y)}`"
        lines.append(
            _row((name, outcome.inputs.dtype.name, f"{outcome.inputs.count:,}", different, f"{verdict.worst:.3f}", at))
        )
    return "\n".join(lines) + "\n"


def _machine() -> str:
    """When and where this is."""
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    processor = found[1] if found else platform.machine()
    gpus = ", ".join(dict.fromkeys(each.name for each in nvidia().devices)) or "no NVIDIA GPU"
    return f"{date.today()}, {processor}, {len(os.sched_getaffinity(0))} threads, {gpus}."


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _worst(outcome: Outcome) -> str:
    verdict = outcome.distance
    return f"worst {verdict.worst:.4f} ulp at {_at(outcome, verdict.worst_x, verdict.worst_y)}"


def _at(outcome: Outcome, x: float, y: float) -> str:
    """The operands in hexadecimal, which says all of their bits."""
    return ", ".join(value.hex() for value in (x, y)[: outcome.row.arity])
