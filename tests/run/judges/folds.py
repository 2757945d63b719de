"""What the kernels of `programs/folds.py` leave in their arrays, in plain Python and NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, halve, wrapped


def mean(values: Any) -> Any:
    values = values if values.dtype.kind == "f" else values.astype(np.float64)
    return halve(values) / values.dtype.type(len(values))


def var(values: Any, correction: int = 0) -> Any:
    values = values if values.dtype.kind == "f" else values.astype(np.float64)
    apart = values - mean(values)
    return halve(apart * apart) / values.dtype.type(len(values) - correction)


def prod(values: Any) -> Any:
    if values.dtype.kind != "f":
        result = 1
        for value in values:
            result = wrapped(result * int(value))
        return result
    while len(values) > 1:
        values = values[: len(values) // 2] * values[len(values) // 2 :]
    return values[0]


def first(values: Any, sign: int) -> int:
    """The first lane of the largest (1) or smallest (-1) value."""
    best = 0
    for lane, value in enumerate(values):
        old, new = (float(each) * sign for each in (values[best], value))
        if np.isnan(new):
            return lane
        if (new, np.copysign(1, new)) > (old, np.copysign(1, old)):
            best = lane
    return best


def made_f32_expects(x: Any, y: Any, at: Any) -> None:
    for p in range(4):
        a, b, c = x[p * 1024 : p * 1024 + 1024], x[p * 16 : p * 16 + 16], x[p : p + 1]
        single = np.float32
        y[p * 8 : p * 8 + 7] = [
            mean(a),
            var(a),
            var(b, 1),
            prod(b) + prod(a * single(0.001) + single(1)),
            c[0],
            (c[0] - c[0]) * (c[0] - c[0]),
            var(x[:8192], 3),
        ]
        at[p * 4 : p * 4 + 4] = [first(a, 1), first(a, -1), first(b, 1), 0]


def made_i32_expects(x: Any, y: Any, at: Any) -> None:
    for p in range(3):
        a = x[p * 128 : p * 128 + 128]
        y[p * 2 : p * 2 + 2] = [mean(a), var(a, 127)]
        at[p * 3 : p * 3 + 3] = [prod(a), first(a, 1), first(a, -1)]


def made_bool_expects(x: Any, y: Any, at: Any) -> None:
    y[:] = [mean(x), var(x), mean(x * 0.1)]
    at[:] = [x.all(), first(x, 1), first(x, -1)]


def overflowing_expects(x: Any, y: Any) -> None:
    y[0] = mean(x)


def in_turns_expects(n: int, x: Any, y: Any, at: Any) -> None:
    lane = np.arange(256)
    v = np.where(lane < n, x, -1.0)
    for k in range(3):
        best = at[k] = first(v, 1)
        moved = v - var(v) * prod(np.where(lane < 3, v, 1.0))
        v = np.where(lane == best, mean(v), v) if best % 2 == 0 else moved
        y[k] = var(v) / mean(v * v)
    y[3:] = v


def largest(a: Any, b: Any) -> Any:
    if np.isnan(a) or np.isnan(b):
        return a + b
    return a if (a, np.copysign(1, a)) > (b, np.copysign(1, b)) else b


def plus(a: Any, b: Any) -> Any:
    return a + b


def running(values: Any, join: Any) -> list[Any]:
    """By blocks of 32 lanes, lane by lane."""
    result = list(values)
    for first in range(0, len(result), 32):
        block = result[first : first + 32]
        for distance in (1, 2, 4, 8, 16):
            block = [join(block[k - distance], each) if k >= distance else each for k, each in enumerate(block)]
        result[first : first + 32] = block
    if len(result) > 32:
        before = running(result[31::32], join)
        result[32:] = [join(before[k // 32 - 1], each) for k, each in enumerate(result[32:], 32)]
    return result


def runs_1024_expects(x: Any, y: Any) -> None:
    for p in range(4):
        v = x[p * 1024 : p * 1024 + 1024]
        y[p * 1024 : p * 1024 + 1024] = np.array(running(v * v, plus)) * np.float32(2) + running(v, largest)


def runs_expects(x: Any, y: Any) -> None:
    y[:] = running(x[: len(y)], plus)


def kinds_expects(f: Any, i: Any, b: Any, sums: Any, most: Any, floats: Any, seen: Any) -> None:
    floats[:4096] = running(f, largest)
    floats[4096:] = np.array(running(f[3:19], plus)) / halve(f)
    sums[:4096] = np.cumsum(i, dtype=np.int64)
    sums[4096:] = np.cumsum(b, dtype=np.int64)
    most[:] = np.maximum.accumulate(i)
    seen[:] = np.logical_or.accumulate(b)


def scans_in_turns_expects(n: int, x: Any, y: Any) -> None:
    v = np.where(np.arange(512) < n, x[:512], 0.5)
    small = x[:64]
    for k in range(4):
        if halve(v) > 0:
            v = np.array(running(v, plus)) / v.max()
            small = np.array(running(small, largest)) * 0.5 - k
        else:
            v = np.array(running(running(v, largest), plus)) + mean(small)
        small = np.array(running(small, plus))
        if k == n:
            break
        v = v - v[::-1]
    y[:512], y[512:] = v, small


def compact_expects(x: Any, y: Any, count: Any) -> None:
    kept = x[x % 3 == 0]
    y[: len(kept)], count[0] = kept, len(kept)


def cases() -> Iterator[Case]:
    plain = (SOURCE.standard_normal(8192) * 3).astype(np.float32)
    plain[40:60] = plain[:1024].max()
    odd = plain.copy()
    odd[1024 + 700 : 1024 + 720] = np.nan
    odd[2048:3072] = -0.0
    odd[2048 + 511] = odd[2048 + 900] = 0.0
    odd[3072:4096] = np.inf
    odd[3072 + 13] = -np.inf
    for values in (plain, odd):
        yield Case("made_f32", 4, None, [values, np.zeros(32, np.float32), np.zeros(16, int)], made_f32_expects)
    ends = np.concatenate([SOURCE.integers(-(2**31), 2**31, 128), np.tile([5, 7, 7, -3], 32), np.full(128, -(2**31))])
    yield Case("made_i32", 3, None, [ends.astype(np.int32), np.zeros(6), np.zeros(9, int)], made_i32_expects)
    for share in (0.5, 1.0, 0.0):
        flags = SOURCE.random(2048) < share
        yield Case("made_bool", 1, None, [flags, np.zeros(3), np.zeros(3, int)], made_bool_expects)
    yield Case("overflowing", 1, None, [np.full(64, 2**62), np.zeros(1)], overflowing_expects)
    for n in (256, 100, 0):
        yield Case(
            "in_turns", 1, None, [n, SOURCE.standard_normal(256), np.zeros(259), np.zeros(3, int)], in_turns_expects
        )
    single = np.float32
    for size in (1, 2, 32, 64, 128, 2048, 8192, 65536):
        long = (SOURCE.standard_normal(size) * 10.0 ** SOURCE.integers(-3, 4, size)).astype(single)
        yield Case(f"runs_{size}", 1, None, [long, np.zeros(size, single)], runs_expects)
    for values in (plain, odd):
        yield Case("runs_1024", 4, None, [values, np.zeros(4096, single)], runs_1024_expects)
    mixed = SOURCE.standard_normal(4096) + np.linspace(-3, 3, 4096)
    mixed[:40:3] = -0.0
    mixed[1:40:5] = 0.0
    whole = SOURCE.integers(-(2**31), 2**31, 4096).astype(np.int32)
    for nan in (4096, 4000, 33):
        mixed[nan:] = np.nan
        results = [np.zeros(8192, int), np.zeros(4096, np.int32), np.zeros(4112), np.zeros(4096, bool)]
        yield Case("kinds", 1, None, [mixed.copy(), whole, SOURCE.random(4096) < 0.01, *results], kinds_expects)
    for n in (512, 3, 0):
        yield Case("scans_in_turns", 1, None, [n, SOURCE.standard_normal(512), np.zeros(576)], scans_in_turns_expects)
    yield Case("compact", 1, None, [whole[:256], np.zeros(256, np.int32), np.zeros(1, int)], compact_expects)
