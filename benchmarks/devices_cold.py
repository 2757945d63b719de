"""From the start of a process to its first result, and to its end. Each round starts each program once.

    python benchmarks/devices.py cold

Every program prints its first result as soon as it has it; the clock stops when that line arrives.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import devices_ppy as ppy
from devices_modules import ROOT, python_path
from devices_rounds import Contestant, Series, Table, main, optional, race

PROGRAMS: Final = ROOT / "benchmarks" / "programs"
TIME_LIMIT: Final = 120.0  # of one process, in seconds
BARE: Final = "bare C extension"
BUILT: Final = "ours: built extension"
JIT: Final = "ours: JIT, warm cache"
CUPY: Final = "CuPy RawKernel, warm cache"
OUR_TILES: Final = "ours: `run examples/tiles.py`, warm cache"
PPY_TILES: Final = "PPy: `ppy run` of the same file, warm cache"


@dataclass(slots=True)
class Program:
    """A program that prints `expected` first. `whole` collects how long each of its processes lived."""

    name: str
    command: list[str]
    expected: str
    environment: dict[str, str]
    whole: list[float] = field(default_factory=list)

    def run(self) -> float:
        """Seconds to the first line. Raises ValueError where that is another, RuntimeError where the program fails."""
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **self.environment}
        with tempfile.TemporaryFile("w+") as errors:  # a pipe that nobody reads yet would be full some time
            started = time.perf_counter()
            with subprocess.Popen(
                self.command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
            ) as process:
                limit = threading.Timer(TIME_LIMIT, process.kill)
                limit.start()
                try:
                    assert process.stdout is not None
                    line = process.stdout.readline().strip()
                    first = time.perf_counter() - started
                    process.stdout.read()
                    status = process.wait()
                finally:
                    limit.cancel()
            self.whole.append(time.perf_counter() - started)
            errors.seek(0)
            words = errors.read().strip().splitlines()
        if status != 0:
            raise RuntimeError(words[-1] if words else f"ended with status {status}")
        if line != self.expected:
            raise ValueError(f"printed {line!r}")
        return first


def programs(modules: str, folder: Path) -> list[Program]:
    ours = {"PYTHONPATH": python_path(modules, ROOT), "TRANSPILE_CACHE": str(folder / "transpile")}
    run = [sys.executable, "-m", "transpile", "run", "--target", "cuda"]
    python = [sys.executable]
    saxpy = "2047.0"
    cupy = {"CUPY_CACHE_DIR": str(folder / "cupy")}
    tiles = "1.0 1999.0"
    return [
        Program(BARE, [*python, str(PROGRAMS / "first_bare.py")], saxpy, ours),
        Program(BUILT, [*python, str(PROGRAMS / "first_built.py")], saxpy, ours),
        Program(JIT, [*run, str(PROGRAMS / "first_jit.py")], saxpy, ours),
        Program(CUPY, [*python, str(PROGRAMS / "first_cupy.py")], saxpy, cupy),
        Program(OUR_TILES, [*run, str(ROOT / "examples" / "tiles.py")], tiles, ours),
    ]


def ppy_program(folder: Path) -> list[Program]:
    """`examples/tiles.py` as PPy takes it."""
    text = (ROOT / "examples" / "tiles.py").read_text(encoding="utf-8")
    text = text.replace("from transpile import", "from ppy import").replace(
        "tile.target(saxpy)", "tile.compiled(saxpy)"
    )
    path = folder / "tiles.ppy"
    path.write_text(text, encoding="utf-8")
    return [Program(PPY_TILES, ppy.command("run", path), "1.0 1999.0", ppy.environment())]


def measure(options: argparse.Namespace) -> list[Table]:
    first = Table("Process start to first result", "ms", BARE)
    whole = Table("The whole process", "ms", BARE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = programs(options.modules or name, folder)
        empty = Program("python -c 'print()'", [sys.executable, "-c", "print()"], "", {})
        found += [empty, *_ppy(first, folder)]
        race(first, [Contestant(each.name, each.run) for each in found], options.rounds)
    for each in found:
        if first.find(each.name) is not None:
            whole.series.append(Series(each.name, tuple(each.whole[1:])))  # without the one that filled the caches
    first.compare("built extension, to its first result, against the bare C extension", BUILT, BARE, 1.05)
    whole.compare("built extension, whole process, against the bare C extension", BUILT, BARE, 1.05)
    first.compare("JIT with a warm cache against CuPy's RawKernel", JIT, CUPY, 0.7)
    first.compare("JIT of the tile example, to its first result, against `ppy run`", OUR_TILES, PPY_TILES, 1.0)
    whole.compare("JIT of the tile example, whole process, against `ppy run`", OUR_TILES, PPY_TILES, 1.0)
    return [first, whole]


def _ppy(table: Table, folder: Path) -> list[Program]:
    made: list[Program] = []

    def make() -> list[Contestant]:
        made.extend(ppy_program(folder))
        return []

    optional(table, "PPy", make)
    return made


if __name__ == "__main__":
    main(measure, "From the start of a process to its first result")
