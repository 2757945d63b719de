"""What the kernels of `programs/atomics.py` leave in their arrays, in plain Python: one thread after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, normal, wrapped

BLOCK = 96


def larger(a: Any, b: Any) -> Any:
    if np.isnan(a) or np.isnan(b):
        return type(b)(np.nan)
    if a == b:
        return b if np.signbit(a) else a
    return a if a > b else b


def smaller(a: Any, b: Any) -> Any:
    return -larger(-a, -b)


def count_expects(n: int, x: Any, hist: Any, wide: Any) -> None:
    for v in x[:n]:
        hist[v % 16] += 1
        wide[v % 3] = wrapped(int(wide[v % 3]) + int(v) * 3_000_000_000)


def tickets_expects(n: int, taken: Any, order: Any, last: Any) -> None:
    taken[0] += n
    order[:n] = np.arange(1, n + 1)
    last[:] = [5, 50, 6, 5]


def ends_expects(x: Any, f: Any, g: Any, i: Any, k: Any) -> None:
    for block in x.reshape(-1, BLOCK):
        parked = [np.float32(0), np.float32(0)]
        for v in block:
            f[0], f[1] = larger(f[0], v), smaller(f[1], v)
            parked = [larger(parked[0], np.float32(v)), smaller(parked[1], np.float32(v))]
            whole = int(v * 1000.0) if -1e6 < v < 1e6 else 0
            i[0], i[1] = max(i[0], whole), min(i[1], whole)
            k[0], k[1] = max(k[0], whole * 10**10), min(k[1], whole * 10**10)
        g[0], g[1] = larger(g[0], parked[0]), smaller(g[1], parked[1])


def bits_expects(x: Any, small: Any, wide: Any) -> None:
    for array, factor in ((small, 1), (wide, 0x1_0000_0001)):
        for v in x:
            value = int(v) * factor
            array[:] = [int(array[0]) & value, int(array[1]) | value, int(array[2]) ^ value]


def alone_expects(f: Any, g: Any, out: Any) -> None:
    for i in range(len(f)):
        a = f[i]
        b = a + 0.1
        c = a * 3.0
        d = -0.0
        f[i] = d
        e = g[i] + np.float32(g[i] + np.float32(0.1))
        narrow = np.float32(a)
        e = e + narrow
        g[i] = 1.5
        if i % 2 == 0:
            e = e + np.float32(1.5)
            g[i] = 0.5
        out[5 * i : 5 * i + 5] = [a, b, c, d, e]


def tile_count_expects(n: int, x: Any, hist: Any, f: Any, seen: Any) -> None:
    for v in x[:n]:
        hist[v % 16] += 1
        f[v % 4] = larger(f[v % 4], v * 0.5)
    seen[0] = n
    seen[1 : n + 1] = np.arange(n)


def tile_alone_expects(f: Any, g: Any, out: Any) -> None:
    for p in range(len(f) // 512):
        out[512 * p : 512 * p + 512] = f[512 * p : 512 * p + 512]
        f[512 * p : 512 * p + 512] = np.arange(512 * p, 512 * p + 512) * 0.5
        part = g[8 * p : 8 * p + 8]
        b = np.where(np.arange(8) == 3, 0, part)
        part += np.where(np.arange(8) == 3, 0, np.arange(8) ** 2).astype(np.int32)
        part ^= 255
        c = part.copy()
        part[part == 254 - np.arange(8) % 2] = -1
        for _ in range(3):
            part[0] += 0b1111
            part[4] += 0b11110000
            c += part
        d, e = f[512 * p], f[512 * p + 1]
        f[512 * p] = min(d, -7.5)
        if p == 1:
            e = 0.0
        else:
            f[512 * p + 1] = 99.0
        out[512 * p : 512 * p + 8] = b * 1000.0 + c + d + e


def tallies_expects(x: Any, total: Any) -> None:
    for at, v in enumerate(x.tolist()):
        total[at % BLOCK % 4] += sum(range(v % 7))
        if v % 5:
            total[4] |= 1 << (v % 31)
            total[5] += 1
            total[7] = max(total[7], v * 2, 0)


def unsigned_expects(x: Any, small: Any, wide: Any) -> None:
    values = [int(v) for v in x]
    bigs = [v * 0x1_0000_0003 % 2**64 for v in values]
    both, all_of = 0, 2**64 - 1
    for v, big in zip(values, bigs, strict=True):
        small[3] &= v | 1
        small[4] |= v
        small[5] ^= v
        both, all_of = both | big, all_of & (big | 8)
        wide[5] ^= np.uint64(big)
    small[:3] = [(int(small[0]) + sum(values)) % 2**32, max(small[1], *values), min(small[2], *values)]
    small[6] = 4_000_000_000
    wide[:5] = [sum(bigs) % 2**64, max(bigs), both, min(bigs), all_of]
    wide[6] = 18


def cases() -> Iterator[Case]:
    x = SOURCE.integers(-1000, 1000, 5 * BLOCK).astype(np.int32)
    grid, block, n = 5, BLOCK, 5 * BLOCK - 17
    small, wide = np.zeros(16, np.int32), np.zeros(3, np.int64)
    yield Case("count", grid, block, [n, x, small, wide], count_expects)
    order = np.zeros(n, np.int32)
    yield Case("tickets", grid, block, [n, np.zeros(1, np.int32), order, np.array([0, 0, 5, 0])], tickets_expects)
    for seed in range(4):
        values = normal(grid * block)
        if seed == 1:
            values[100] = np.nan
        if seed == 2:
            values = np.where(np.arange(values.size) % 3 == 0, 0.0, -0.0)
        if seed == 3:
            values[[3, 77]] = [np.inf, -np.inf]
            values = np.where(np.isinf(values), values, values * 1e-310)
        ends = [np.full(2, -0.0), np.zeros(2, np.float32), np.zeros(2, np.int32), np.zeros(2, np.int64)]
        yield Case("ends", grid, block, [values, *ends], ends_expects)
    masks = np.array([-1, 0, 0])
    yield Case("bits", grid, block, [x | 5, masks.astype(np.int32), masks], bits_expects)
    single = normal(64).astype(np.float32)
    yield Case("alone", 2, 32, [normal(64), single, np.zeros(320)], alone_expects)
    seen = np.zeros(1 + 700 + 256, np.int64)
    args = [701, SOURCE.integers(-1000, 1000, 768).astype(np.int32), np.zeros(16, np.int32), np.zeros(4), seen]
    yield Case("tile_count", 3, None, args, tile_count_expects)
    arrays = [normal(3 * 512), SOURCE.integers(0, 200, 24).astype(np.int32), np.zeros(3 * 512)]
    yield Case("tile_alone", 3, None, arrays, tile_alone_expects)
    yield Case("tallies", grid, block, [np.abs(x), np.zeros(8, np.int64)], tallies_expects)
    some = SOURCE.integers(0, 2**32, grid * block).astype(np.uint32)
    small = np.array([5, 0, 2**32 - 1, 2**32 - 1, 0, 0, 0], np.uint32)
    wide = np.array([0, 0, 0, 2**64 - 1, 2**64 - 1, 0, 17], np.uint64)
    yield Case("unsigned", grid, block, [some, small, wide], unsigned_expects)
