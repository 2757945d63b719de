"""What built modules and the JIT cost on a GPU, against C++ and the peers, in one run on one machine, as ratios.

    python benchmarks/devices.py [launch] [cold] [arrays] [jit] [size] [seeds] [rows] [--rounds 9]

Prints Markdown: the goals and what was seen first, then the tables. README.md beside this file says what is compared
and how. A peer that is not installed, or fails, is named in a note, and the rest goes on.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Final

from devices_modules import ROOT, build, nvcc, python_path, run
from devices_rounds import Table, brief, from_json, markdown
from machine import processor

PARTS: Final = ("launch", "cold", "arrays", "jit", "size", "seeds", "rows")
PART_SECONDS: Final = 110
PACKAGES: Final = ("numpy", "torch", "cupy-cuda13x", "triton", "numba", "numba-cuda", "llvmlite", "libcst")


def setting() -> str:
    """What the figures depend on."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    device = run(query).splitlines()[0]
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {package}")
    try:
        versions.append(run([nvcc(), "--version"]).strip().splitlines()[-1])
    except RuntimeError as error:
        versions.append(str(error))
    return f"{date.today()}, {device}, {processor()}, {os.cpu_count()} threads; {', '.join(versions)}"


def measured(part: str, modules: str, options: argparse.Namespace) -> list[Table]:
    """The tables of one script, run in a process of its own."""
    script = ROOT / "benchmarks" / f"devices_{part}.py"
    command = [sys.executable, str(script), "--json", "--modules", modules]
    command += ["--rounds", str(options.rounds), "--log2", str(options.log2)]
    try:
        return from_json(run(command, {"PYTHONPATH": python_path(ROOT)}, PART_SECONDS).splitlines()[-1])
    except (RuntimeError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
        return [Table(f"devices_{part}.py", "s", "", notes=[f"failed: {brief(error)}"])]


def goals(tables: list[Table]) -> str:
    lines = ["| goal | seen | stated | |", "| --- | --- | --- | --- |"]
    for table in tables:
        for goal in table.goals:
            limit = f"{'≥' if goal.at_least else '≤'} {goal.limit:g} {goal.unit}"
            word = "met" if goal.is_met else "**missed**"
            lines.append(f"| {table.title}: {goal.text} | {goal.seen:.3g} {goal.unit} | {limit} | {word} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each measurement (default: 9)")
    parser.add_argument("--log2", type=int, default=24, help="of the doubles in an array (default: 24)")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}; take {', '.join(PARTS)}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            notes = build(Path(folder))
        except RuntimeError as error:
            raise SystemExit(f"devices.py needs a GPU of NVIDIA and nvcc: {error}") from None
        print(f"built in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        tables = []
        for part in options.parts or PARTS:
            began = time.monotonic()
            tables += measured(part, folder, options)
            print(f"{part}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(f"{setting()}; {options.rounds} rounds\n\n## Goals\n\n{goals(tables)}\n## Tables\n")
    print("\n".join([*(f"- {note}\n" for note in notes), *map(markdown, tables)]))


if __name__ == "__main__":
    main()
