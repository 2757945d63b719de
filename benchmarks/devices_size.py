"""What a built module weighs: importing it, and the wheel of the three base kernels for one architecture.

python benchmarks/devices.py size
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from devices_modules import ROOT, architecture, python_path, run
from devices_rounds import Contestant, Table, brief, main, race

OURS: Final = "import tiles_ext"
OTHERS: Final = ("import ctypes", "import numpy")
TIMED: Final = "import time; started = time.perf_counter(); {}; print(time.perf_counter() - started)"
MOST_BYTES: Final = 300_000
MOST_IMPORT_MS: Final = 3.0
SETUP: Final = """\
from setuptools import setup
from transpile.build.setuptools import kernels

setup(
    name="three-kernels",
    version="1.0",
    packages=["three_kernels"],
    ext_modules=kernels(["three_kernels/tiles.py"], targets=["cuda"], arch=["{arch}"]),
)
"""


def importing(options: argparse.Namespace) -> Table:
    """In processes that have imported nothing else, by their own clocks: their starts differ by more than this."""
    table = Table("Import of a built module into bare Python", "ms", OURS)
    environment = {"PYTHONPATH": python_path(options.modules or "")}

    def imported(statement: str) -> float:
        return float(run([sys.executable, "-c", TIMED.format(statement)], environment))

    race(table, [Contestant(each, partial(imported, each)) for each in (OURS, *OTHERS)], 3 * options.rounds)
    ours = table.find(OURS)
    if ours is not None:
        table.limit(OURS, ours.median * 1e3, MOST_IMPORT_MS, "ms")
    return table


def wheel() -> Table:
    """The wheel that setuptools makes of `examples/tiles.py`, for this machine's architecture."""
    table = Table("Wheel of the three base kernels, one architecture", "s", "")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = folder / "three_kernels"
        package.mkdir()
        (package / "__init__.py").write_text("", encoding="utf-8")
        shutil.copy(ROOT / "examples" / "tiles.py", package)
        (folder / "setup.py").write_text(SETUP.format(arch=architecture()), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", name, name]
        run(command, {"PYTHONPATH": python_path(ROOT)})
        made = next(folder.glob("*.whl"))
        table.limit(made.name, made.stat().st_size / 1e3, MOST_BYTES / 1e3, "KB")
    return table


def measure(options: argparse.Namespace) -> list[Table]:
    tables = [importing(options)]
    try:
        tables.append(wheel())
    except Exception as error:
        tables[0].notes.append(f"the wheel: not made: {brief(error)}")
    return tables


if __name__ == "__main__":
    main(measure, "What a built module weighs")
