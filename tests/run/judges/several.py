"""What the kernels of `programs/several.py` leave in their arrays, in NumPy: one element at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, normal, wrapped32


def scale_expects(n: int, a: Any, x: Any, y: Any) -> None:
    y[:n] = np.float32(a) * x[:n] + y[:n]


def turned_expects(x: Any, y: Any, z: Any) -> None:
    for block in range(len(x) // 128):
        pairs, fours = x[128 * block :][:128].reshape(64, 2), y[256 * block :][:256].reshape(64, 4)
        before, old = pairs[::-1].copy(), fours[::-1].copy()
        pairs[:] = np.stack([before[:, 0] - before[:, 1], before[:, 1] * 0.5], 1)
        fours[:] = np.stack([old[:, 3], old[:, 2], [wrapped32(2 * int(v)) for v in old[:, 1]], old[:, 0]], 1)
        z[128 * block :][:128] = np.stack([old[:, 3].astype(np.int64) * 10**12, np.full(64, -1)], 1).reshape(-1)


def bytes_and_locals_expects(n: int, m: Any, x: Any, y: Any) -> None:
    for i in range(len(x) // 8):
        mine = np.concatenate([x[8 * i : 8 * i + 4][::-1], x[8 * i + 4 : 8 * i + 8][::-1]])
        y[2 * i : 2 * i + 2] = mine[2 * (i % 4) :][:2]
        row = m[8 * i : 8 * i + 8]
        if row[0] or row[7]:
            row[:] = [*row[:0:-1], True]
        total = np.float32(0.0)
        for k in range(n):
            u, v = sorted(x[2 * ((i + k) % 32) :][:2])
            total = total + u * np.float32(2.0) - v
        y[128 + i] = total


def halves(bits: Any) -> Any:
    return bits.view(np.float16).astype(np.float32)


def brains(bits: Any) -> Any:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def rounded(values: Any) -> Any:
    """The bits of the nearest bf16, to even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def narrow_expects(x: Any, h: Any, b: Any) -> None:
    sums = x.reshape(-1, 2, 8).astype(np.int64).sum(2)
    old, wide = h.reshape(-1, 8).copy(), halves(h).reshape(-1, 8)
    new = h.reshape(-1, 8)
    new[:, :4] = old[:, 7:3:-1]
    new[:, 4] = (wide[:, 3] + np.float32(1)).astype(np.float16).view(np.uint16)
    new[:, 5] = (wide[:, 2] * wide[:, 1]).astype(np.float16).view(np.uint16)
    new[:, 6:] = sums.astype(np.float16).view(np.uint16)
    four, brain = b.reshape(-1, 4).copy(), brains(b).reshape(-1, 4)
    b.reshape(-1, 4)[:, 0] = rounded(brain[:, 3] * brain[:, 0])
    b.reshape(-1, 4)[:, 1:3] = four[:, 2:0:-1]
    b.reshape(-1, 4)[:, 3] = rounded(wide[:, 0])


def cases() -> Iterator[Case]:
    for n in (4 * 3 * 32, 4 * 3 * 32 - 3, 5):
        arrays = [normal(400).astype(np.float32) for _ in range(2)]
        yield Case("scale", 3, 32, [n, 1.25, *arrays], scale_expects)
    ints = SOURCE.integers(-(2**31), 2**31 - 1, 512).astype(np.int32)
    yield Case("turned", 2, 64, [normal(256), ints, np.zeros(256, np.int64)], turned_expects)
    flags = SOURCE.integers(0, 2, 512).astype(bool)
    floats = normal(512).astype(np.float32)
    yield Case("bytes_and_locals", 2, 32, [5, flags, floats, np.zeros(192, np.float32)], bytes_and_locals_expects)
    small = normal(8 * 64).astype(np.float16).view(np.uint16)
    arrays = [SOURCE.integers(0, 256, 16 * 64).astype(np.uint8), small, rounded(normal(4 * 64))]
    yield Case("narrow", 2, 32, arrays, narrow_expects)
