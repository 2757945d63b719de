"""Every f32 through every math function: the same bits on the CPU and the device, and how far from the true value.

    python -m tests.exhaustive                                           on a machine with a device: minutes
    python -m tests.exhaustive --function exp --stride 1009 --target cpu    one function, one input in 1009
    python -m tests.exhaustive --type f64 --target reference             the definitions in NumPy

f64, and the pairs of pow, are sampled densely: any bits, results in range and at its ends, the neighbourhoods of the
points where algorithms change, near multiples of pi / 2, subnormals. The first target is judged, by the C library in
double (f32) or libquadmath (f64); the others are compared with it. `--reference 61` also compares the definitions in
NumPy, on one input in 61. The result is a table in Markdown; the exit code is 1 where bits differ or a result is too
far off.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.exhaustive.judge import Inputs, knows
from tests.exhaustive.modules import Apply, build, definition
from tests.exhaustive.run import Outcome, run
from tests.exhaustive.table import is_good, line, table
from tests.support import device
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.operation import Operation
from transpile.ops.table import OPERATIONS

TYPES: Final = {dtype.name: dtype for dtype in (dtypes.F32, dtypes.F64)}
TARGETS: Final = ("reference", "cpu", "cuda", "hip")
PAIRS: Final = 1 << 30  # of f32, for pow
DENSE: Final = 1 << 24  # of f64


def rows() -> list[Operation]:
    """The math functions that there are: on tiles, with a true value that the judge knows."""
    on_tiles = [row for row in OPERATIONS.values() if any(each.startswith("tile.") for each in row.spellings)]
    return [row for row in on_tiles if knows(row.name)]


def main(words: Sequence[str] | None = None) -> int:
    chosen = parse(words)
    lacking = "cuda" in chosen.targets and device.lacking()
    if lacking:
        print(f"--target cuda: {lacking}", file=sys.stderr)
        return 3
    start, outcomes = time.monotonic(), []
    wanted = [row for row in rows() if not chosen.functions or row.name in chosen.functions]
    with tempfile.TemporaryDirectory(prefix="transpile-exhaustive-") as folder:
        compiled = [target for target in chosen.targets if target != "reference"]
        built = build(wanted, chosen.types, compiled, Path(folder))
        print(f"built {len(built)} modules in {time.monotonic() - start:.0f} s", flush=True)
        for dtype in chosen.types:
            for row in wanted:
                targets = targets_of(row, chosen.targets, built)
                outcome = judged(row, dtype, targets, chosen)
                print(line(outcome), flush=True)
                outcomes.append(outcome)
                if chosen.output:  # whole after each function: a run that is stopped leaves what it found
                    Path(chosen.output).write_text(table(outcomes, chosen.targets), encoding="utf-8")
    print(f"\n{table(outcomes, chosen.targets)}\n{time.monotonic() - start:.0f} s")
    return 0 if all(is_good(outcome) for outcome in outcomes) else 1


def targets_of(row: Operation, names: Sequence[str], built: Mapping[str, Apply]) -> dict[str, Apply]:
    return {name: definition(row) if name == "reference" else built[f"{row.name} {name}"] for name in names}


def judged(row: Operation, dtype: DType, targets: dict[str, Apply], chosen: argparse.Namespace) -> Outcome:
    """The function over all its inputs; with the definition in NumPy over some of them, where that was asked for."""
    threads = len(os.sched_getaffinity(0))
    if dtype is dtypes.F64:
        inputs = Inputs(dtype, row.arity, chosen.count, 1)
    else:
        inputs = Inputs(dtype, row.arity, PAIRS if row.arity == 2 else 1 << 32, chosen.stride)
    outcome = run(row, inputs, targets, threads)
    if chosen.reference:
        first = dict([next(iter(targets.items()))])
        some = replace(inputs, stride=inputs.stride * chosen.reference)
        again = run(row, some, {**first, "reference": definition(row)}, threads)
        outcome.others.update(again.others)
    return outcome


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        prog="python -m tests.exhaustive", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--function", dest="functions", action="append", help="only this one (may be given again)")
    parser.add_argument("--type", dest="types", action="append", choices=TYPES, help="f32 or f64; both by default")
    parser.add_argument("--target", dest="targets", action="append", choices=TARGETS, help="default: cpu, cuda")
    parser.add_argument("--stride", type=int, default=1, help="one f32 in as many; a prime number is a good one")
    parser.add_argument("--count", type=int, default=DENSE, help=f"inputs of f64 (default {DENSE})")
    parser.add_argument("--reference", type=int, metavar="N", help="compare the definition on one of N of the inputs")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the table there")
    chosen = parser.parse_args(words)
    chosen.types = [TYPES[name] for name in chosen.types or TYPES]
    chosen.targets = chosen.targets or ["cpu", "cuda"]
    unknown = sorted(set(chosen.functions or ()) - {row.name for row in rows()})
    if unknown:
        parser.error(f"no function {', '.join(unknown)}; there are {', '.join(row.name for row in rows())}")
    return chosen


if __name__ == "__main__":
    raise SystemExit(main())
