"""The peers of the CPU benchmark: NumPy as people write it, and two Numba spellings of each kernel (fastmath off)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import njit, prange

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Peer:
    """`run` does the work once; `family` is `numpy` or `numba`."""

    family: str
    name: str
    run: Callable[[], object]


@njit(parallel=True)
def saxpy_flat(n: int, a: float, x: Array, y: Array) -> None:
    for i in prange(n):
        y[i] = a * x[i] + y[i]


@njit(parallel=True)
def saxpy_tiles(n: int, a: float, x: Array, y: Array) -> None:
    for tile in prange((n + 255) // 256):
        for i in range(tile * 256, min(n, tile * 256 + 256)):
            y[i] = a * x[i] + y[i]


@njit(parallel=True)
def block_max_rows(x: Array, out: Array) -> None:
    for block in prange(len(out)):
        out[block] = x[block * 64 : block * 64 + 64].max()


@njit(parallel=True)
def block_max_tiles(x: Array, out: Array) -> None:
    for block in prange(len(out)):
        best = x[block * 64]
        for k in range(1, 64):
            v = x[block * 64 + k]
            best = v if v > best else best
        out[block] = best


@njit(parallel=True)
def row_stats_rows(n: int, x: Array, out: Array) -> None:
    for row in prange(len(out) // 2):
        values = x[row * 1024 : min(n, row * 1024 + 1024)]
        mean = values.sum() / len(values)
        out[row * 2] = mean
        out[row * 2 + 1] = ((values - mean) * (values - mean)).sum() / len(values)


@njit(parallel=True)
def row_stats_tiles(n: int, x: Array, out: Array) -> None:
    for row in prange(len(out) // 2):
        first = row * 1024
        last = min(n, first + 1024)
        total = 0.0
        for i in range(first, last):
            total += x[i]
        mean = total / (last - first)
        spread = 0.0
        for i in range(first, last):
            spread += (x[i] - mean) * (x[i] - mean)
        out[row * 2] = mean
        out[row * 2 + 1] = spread / (last - first)


def saxpy(n: int, a: float, x: Array, y: Array) -> list[Peer]:
    def in_numpy() -> None:
        y[:] = a * x + y

    return [
        Peer("numpy", "a * x + y", in_numpy),
        Peer("numba", "prange over elements", lambda: saxpy_flat(n, a, x, y)),
        Peer("numba", "prange over tiles", lambda: saxpy_tiles(n, a, x, y)),
    ]


def block_max(x: Array, out: Array) -> list[Peer]:
    return [
        Peer("numpy", "reshape(-1, 64).max(1)", lambda: x.reshape(-1, 64).max(1, out=out)),
        Peer("numba", "prange over rows, .max()", lambda: block_max_rows(x, out)),
        Peer("numba", "prange over tiles, inner loop", lambda: block_max_tiles(x, out)),
    ]


def row_stats(n: int, x: Array, out: Array) -> list[Peer]:
    def in_numpy() -> None:
        rows = x.reshape(-1, 1024)
        out[0::2] = rows.mean(1)
        out[1::2] = rows.var(1)

    return [
        Peer("numpy", "mean(1), var(1)", in_numpy),
        Peer("numba", "prange over rows, .sum()", lambda: row_stats_rows(n, x, out)),
        Peer("numba", "prange over tiles, inner loop", lambda: row_stats_tiles(n, x, out)),
    ]


def threads() -> int:
    """How many threads Numba uses."""
    return int(numba.get_num_threads())
