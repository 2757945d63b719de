"""Runs one function over its inputs on every target that is asked for, chunk by chunk."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from tests.exhaustive.judge import Array, Inputs, Verdict, compare, judge
from tests.exhaustive.modules import Apply
from transpile.ops.operation import Operation

CHUNK: Final = 1 << 25


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one function on one dtype: the distance of the first target's results from the true values, and on
    how many inputs each other target gives different bits."""

    row: Operation
    inputs: Inputs
    distance: Verdict
    others: dict[str, Verdict]
    seconds: float

    @property
    def different(self) -> int:
        return sum(verdict.different for verdict in self.others.values())


def run(row: Operation, inputs: Inputs, targets: Mapping[str, Apply], threads: int) -> Outcome:
    """Judges the first target and compares the others with it. A chunk is computed while the last one is judged."""
    start = time.monotonic()
    distance, others = Verdict(), {name: Verdict() for name in list(targets)[1:]}
    with ThreadPoolExecutor(1) as ahead:
        chunks = [ahead.submit(_chunk, inputs, targets, 0, threads)]
        for first in range(0, inputs.count, CHUNK):
            operands, results = chunks.pop().result()
            if first + CHUNK < inputs.count:
                chunks.append(ahead.submit(_chunk, inputs, targets, first + CHUNK, threads))
            judge(row.name, operands, results[0], threads, distance)
            for verdict, other in zip(others.values(), results[1:], strict=True):
                compare(operands, results[0], other, threads, verdict)
    return Outcome(row, inputs, distance, others, time.monotonic() - start)


def _chunk(
    inputs: Inputs, targets: Mapping[str, Apply], first: int, threads: int
) -> tuple[list[Array], Sequence[Array]]:
    operands = inputs.chunk(first, min(CHUNK, inputs.count - first), threads)
    return operands, [apply(inputs.dtype, operands) for apply in targets.values()]
