"""What the kernels of `programs/arrays.py` leave in their arrays, in NumPy and plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, normal


def transpose_expects(rows: int, columns: int, x: Any, y: Any) -> None:
    y[:] = x.reshape(rows, columns).T.reshape(-1)


def two_of_them_expects(n: int, x: Any, y: Any) -> None:
    for block in range(len(y) // 4):
        for part in x[: 32 * n].reshape(32, n):
            for row in range(4):
                of_row = part[part % 4 == row]
                y[4 * block + row] += 256 * len(of_row) + (int(of_row[-1]) if len(of_row) else 0)


def sorted_each_expects(x: Any, y: Any, order: Any) -> None:
    places = np.argsort(x.reshape(-1, 8), axis=1, kind="stable")
    y[:] = np.take_along_axis(x.reshape(-1, 8), places, 1).reshape(-1)
    order[:] = places.reshape(-1)


def brain(v: float) -> np.float32:
    """The nearest number of 8 significant bits."""
    mantissa, exponent = np.frexp(v)
    return np.float32(np.ldexp(np.round(mantissa * 256) / 256, exponent))


def of_every_width_expects(n: int, x: Any, y: Any) -> None:
    for block in range(len(y) // 32):
        arrays = [[np.zeros(5, kind) for kind in "b H I e f f ?".split()] for _ in range(32)]
        for k in range(n):
            sent = []
            for t, mine in enumerate(arrays):
                i = 32 * block + t
                v, at = float(x[i * n + k]), (i + k * k) % 5
                mine[0][at] = np.int64(int(v * 100.0)).astype(np.int8)
                mine[1][at] = np.int64(int(v * 10_000.0)).astype(np.uint16)
                mine[2][at] = np.int64(int(v * 3e9)).astype(np.uint32)
                mine[3][at], mine[4][at], mine[5][at], mine[6][at] = v, brain(v), v, v > 0.0
                sent.append(np.float32(mine[3][(at + 1) % 5]))
            for t, mine in enumerate(arrays):
                mine[5][((32 * block + t + k * k) % 5 + 2) % 5] = sent[31 - t]
        for t, mine in enumerate(arrays):
            total = 0.0
            for k in range(5):
                total = total + int(mine[0][k]) + int(mine[1][k])
                total = total + int(mine[2][k]) * 0.5 + float(mine[3][k])
                total = total + float(mine[4][k]) - float(mine[5][k])
                if mine[6][k]:
                    total = total * 0.75
            y[32 * block + t] = total


def cases() -> Iterator[Case]:
    x = normal(40 * 23).astype(np.float32)
    yield Case("transpose", (2, 3), (16, 16), [40, 23, x, np.zeros(40 * 23, np.float32)], transpose_expects)
    data = SOURCE.integers(0, 256, 32 * 7).astype(np.uint8)
    yield Case("two_of_them", 2, 32, [7, data, np.zeros(8, np.int64)], two_of_them_expects)
    values = np.round(normal(8 * 33), 1)
    yield Case("sorted_each", 3, 11, [values, np.zeros_like(values), np.zeros(8 * 33, np.uint8)], sorted_each_expects)
    yield Case("of_every_width", 2, 32, [6, normal(64 * 6), np.zeros(64)], of_every_width_expects)
