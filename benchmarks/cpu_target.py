"""The CPU target against NumPy and Numba, in one run on one machine, as ratios.

    python benchmarks/cpu_target.py [--log2 24] [--rounds 7]

README.md beside this file says what is compared and how.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import peers
from machine import processor

from transpile.build.toolchain import find_compiler

ROOT = Path(__file__).resolve().parents[1]
PAUSE_SECONDS = 0.01
Row = tuple[str, str, Callable[[], object]]


def built(example: str, folder: str) -> ModuleType:
    """The extension of an example, built for this machine."""
    source = str(ROOT / "examples" / example)
    command = [sys.executable, "-m", "transpile", "build", source, "--target", "cpu", "-o", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(f"{Path(example).stem}_ext")


def measure(rows: list[Row], rounds: int) -> dict[tuple[str, str], float]:
    """The best time of each row in milliseconds, the rounds interleaved, each in an order of its own.

    Before each call there is a pause: threads of OpenMP, which Numba starts, go on spinning after their work.
    """
    best = {(family, name): float("inf") for family, name, _ in rows}
    for _, _, run in rows:
        run()
    order = Random(0)
    for _ in range(rounds):
        for family, name, run in order.sample(rows, len(rows)):
            time.sleep(PAUSE_SECONDS)
            started = time.perf_counter()
            run()
            best[family, name] = min(best[family, name], (time.perf_counter() - started) * 1e3)
    return best


def report(title: str, rows: list[Row], rounds: int) -> None:
    times = measure(rows, rounds)
    ours = times["ours", "tile"]
    print(f"\n### {title}\n\n| | ms | time / tile's |\n| --- | --- | --- |")
    for (family, name), milliseconds in times.items():
        print(f"| {family}: {name} | {milliseconds:.2f} | {milliseconds / ours:.2f} |")
    fastest_numba = min(value for (family, _), value in times.items() if family == "numba")
    numpy = min(value for (family, _), value in times.items() if family == "numpy")
    line = f"\ntile = {ours / fastest_numba:.2f} x the faster Numba; NumPy = {numpy / ours:.1f} x tile"
    if ("ours", "thread") in times:
        line += f"; thread form at {ours / times['ours', 'thread']:.2f} of the tile form's speed"
    print(line)


def setting(log2: int, rounds: int) -> str:
    """What the figures depend on."""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {peers.numba.__version__}"
    return (
        f"{date.today()}, {processor()}, {peers.threads()} threads; {versions}, {find_compiler().version}; "
        f"2^{log2} doubles, best of {rounds} rounds"
    )


def check(name: str, got: np.ndarray, expected: np.ndarray) -> None:
    if not np.allclose(got, expected, rtol=1e-12, atol=0.0):
        raise SystemExit(f"{name}: wrong result, not timed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, default=24, help="log2 of the number of doubles (default: 24)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each (default: 7)")
    options = parser.parse_args()
    n = 1 << options.log2
    with tempfile.TemporaryDirectory() as folder:
        tiles, threads = built("tiles.py", folder), built("saxpy.py", folder)
        print(setting(options.log2, options.rounds))
        x = np.random.default_rng(0).normal(size=n)
        y, maxima, stats = np.ones(n), np.empty(n // 64), np.empty(n // 1024 * 2)

        tiles.saxpy[n // 256](n, 2.0, x, y)
        check("saxpy", y, 2.0 * x + 1.0)
        tiles.block_max[n // 64](x, maxima)
        check("block_max", maxima, x.reshape(-1, 64).max(1))
        tiles.row_stats[n // 1024](n, x, stats)
        check("row_stats", stats[1::2], x.reshape(-1, 1024).var(1))

        a = 1e-9
        report(
            "saxpy",
            [
                ("ours", "tile", lambda: tiles.saxpy[n // 256](n, a, x, y)),
                ("ours", "thread", lambda: threads.saxpy[n // 256, 256](n, a, x, y)),
                *((p.family, p.name, p.run) for p in peers.saxpy(n, a, x, y)),
            ],
            options.rounds,
        )
        report(
            "block_max",
            [
                ("ours", "tile", lambda: tiles.block_max[n // 64](x, maxima)),
                ("ours", "thread", lambda: threads.block_max[n // 64, 64](x, maxima)),
                *((p.family, p.name, p.run) for p in peers.block_max(x, maxima)),
            ],
            options.rounds,
        )
        report(
            "row_stats",
            [
                ("ours", "tile", lambda: tiles.row_stats[n // 1024](n, x, stats)),
                *((p.family, p.name, p.run) for p in peers.row_stats(n, x, stats)),
            ],
            options.rounds,
        )


if __name__ == "__main__":
    main()
