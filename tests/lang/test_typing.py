"""A type checker understands kernels: pointers, tiles, their operators, and NumPy arrays as pointers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = """\
import numpy as np
from transpile import cuda, native, tile


@cuda.device
def double(v: float) -> float:
    return v * 2.0


@tile.kernel
def tiles(n: int, a: float, cols: native.static[int], x: native.const_ptr[float], z: native.ptr[native.i32]) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    ok = (at < n) & ~(at == 3)
    xs = tile.load(x, at, ok, other=1.0)
    off = a * xs - tile.sum(xs) / tile.sum(ok)
    both = tile.where(ok, off, 0.0) + tile.where(ok, 1, 2) + double(1.0)
    tile.store(z, at, tile.cast(both, native.i32) + 1)
    tile.store(z, tile.maximum(at, 0), tile.abs(at // 2) % 5 << 2, mask=ok)
    one = tile.load(x, 3)
    for j in range(n):
        one = one + j
    if tile.any(ok) and tile.max(tile.map(double, xs)) > 0.0:
        tile.store(z, 0, one)


@cuda.kernel(alias=True)
def threads(n: int, x: native.ptr[float]) -> None:
    i = cuda.global_id()
    parked = cuda.shared[float, 64]()
    native.store(native.offset(parked, i), native.load(native.offset(x, i)))
    cuda.syncthreads()
    v = cuda.shfl_xor(native.load(parked), 1)
    native.store(x, native.fmax(native.where(i < n, v, 0.0), 1.0) + native.cast(v, int))


def run(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.launch(tiles, (n + 3) // 4, n, 1.0, 4, x, y)
    cuda.launch(threads, (1, 2), 64, n, y)


p = native.stack_alloc[float](4)
one: float = native.load(native.offset(p, 1))
two: float = double(2.0)
run(3, p, p)
run(3, np.zeros(4), np.zeros(4))
native.store(p, 3)
"""
BAD = """\
from transpile import cuda, native, tile


@cuda.device
def double(v: float) -> float:
    return v * 2.0


@tile.kernel
def tiles(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    at = tile.arange(4)
    tile.store(x, at, 1.0)  # a const pointer
    tile.load(y, at * 0.5)  # offsets that are no integers
    at & 1.5


text: str = double(2.0)
double("2")
"""


def faulty_lines(folder: Path, text: str) -> list[int]:
    path = folder / "kernels.py"
    path.write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--python-version",
        "3.10",
        str(path),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return sorted({int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line})


def test_kernels_can_be_type_checked(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    assert faulty_lines(tmp_path, GOOD) == []
    assert faulty_lines(tmp_path, BAD) == [12, 13, 14, 17, 18]
