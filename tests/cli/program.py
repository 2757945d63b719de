"""The programs that the tests of the command line work on, and how to run a command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

DOUBLE: Final = '''\
import sys

import numpy as np

from transpile import native, tile


@tile.kernel
def double(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    """Twice as much."""
    i = tile.program_id() * 64 + tile.arange(64)
    tile.store(y, i, tile.load(x, i, i < n) * 2.0, i < n)


def run(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    """Doubles n elements."""
    tile.launch(double, (n + 63) // 64, n, x, y)


def main() -> None:
    x = np.arange(100.0)
    y = np.zeros(100)
    run(100, x, y)
    print(y[:3], y[99], *sys.argv[1:])
    print(f"# ran on: {tile.target(double)}; compiled: {tile.compiled(double)}")


if __name__ == "__main__":
    main()
'''

FAULTY: Final = """\
from transpile import native, tile


@tile.kernel
def wrong(n: int, x: native.const_ptr[float]) -> None:
    a = tile.arange(64) + tile.arange(32)
    tile.store(x, tile.arange(64), 1.0)
    print(missing)
"""

SOFTMAX: Final = """\
from transpile import native, tile


@tile.kernel
def total(cols: native.static[int], x: native.const_ptr[float], out: native.ptr[float]) -> None:
    row = tile.program_id()
    tile.store(out, row, tile.sum(tile.load(x, row * cols + tile.arange(cols))))
"""
GENERIC: Final = """\
from transpile import native, tile

T = native.TypeVar("T", native.f16, native.f32, native.f8e5m2)


@tile.kernel
def scale(a: float, x: native.const_ptr[T], y: native.ptr[T]) -> None:
    at = tile.program_id() * 64 + tile.arange(64)
    tile.store(y, at, tile.load(x, at) * a)
"""


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str


def transpile(*arguments: object, folder: Path, **environment: str) -> Result:
    """Runs `python -m transpile` in `folder`."""
    return python("-m", "transpile", *arguments, folder=folder, **environment)


def python(*arguments: object, folder: Path, before: Sequence[str] = (), **environment: str) -> Result:
    """Runs Python in `folder`; `before` are the words of a command that runs another."""
    held = {name: value for name, value in os.environ.items() if name not in ("TRANSPILE", "TRANSPILE_DEBUG")}
    path = os.pathsep.join(filter(None, (str(ROOT), held.get("PYTHONPATH"))))
    done = subprocess.run(
        [*before, sys.executable, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        env={**held, "PYTHONPATH": path, **environment},
    )
    return Result(done.returncode, done.stdout, without_progress(done.stderr))


def without_progress(said: str) -> str:
    """On a slow machine a command says what it is doing."""
    return "".join(line for line in said.splitlines(keepends=True) if not line.endswith(" ...\n"))
