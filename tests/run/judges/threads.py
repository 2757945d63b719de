"""What the kernels of `programs/threads.py` leave in their arrays, in plain Python and NumPy."""

# ruff: noqa: E741, N806

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, halve, normal, wrapped

X = normal(20)


def barrier_tree_expects(x: Any, y: Any) -> None:
    for b in range(3):
        y[b] = halve(x[64 * b : 64 * b + 64])


def early_expects(n: Any, x: Any, y: Any) -> None:
    for i in range(n):
        v = x[i]
        r = False
        for k in range(i % 5):
            if v > 2:
                break
            if k == 1:
                continue
            v = v + 1
            if v < -1:
                y[i] = -99
                r = True
                break
        if not r:
            y[i] = v * 2


def two_shared_expects(x: Any, y: Any) -> None:
    n = len(x)
    v = [int(q) for q in x]
    for r in range(3):
        a = v[:]
        b = [0] * n
        c = [0] * n
        for t in range(n):
            b[(t + 1) % n] = (v[t] * 4294967297 + r + 2**31) % 2**32 - 2**31
            c[n - 1 - t] = v[t] > 3
        v = [wrapped(a[(t + 7) % n] + b[t] * (1 if c[t] else 2)) for t in range(n)]
    y[:] = v


def shuf_expects(x: Any, y: Any, d: Any) -> None:
    n = 128
    for i in range(n):
        l = i % 32
        g = i - l
        y[i] = x[g + (l ^ d % 32)]
        y[i + n] = x[g + d % 32]
        y[i + 2 * n] = x[i - d % 32] if l - d % 32 >= 0 else x[i]
        y[i + 3 * n] = x[i + d % 32] if l + d % 32 < 32 else x[i]
        y[i + 4 * n] = x[g + (i * 3 + d) % 32]
        y[i + 5 * n] = x[g + (l ^ i % 32)]
        D = -i % 32
        y[i + 6 * n] = x[i - D] if l - D >= 0 else x[i]
        D = i * 5 % 32
        y[i + 7 * n] = x[i + D] if l + D < 32 else x[i]


def shuf_types_expects(f: Any, b: Any, g: Any, y: Any) -> None:
    F = np.float32
    for i in range(64):
        l = i % 32
        G = i - l
        k = i + 2 if l + 2 < 32 else i
        r = f[G + (l ^ 1)] + F(k)
        if b[i - 3 if l >= 3 else i]:
            r = r + F(1)
        y[i] = float(r) * g[G + 1] + 0.5 + 1


def group_uniform_expects(x: Any, y: Any) -> None:
    for B in range(2):
        v = x[128 * B : 128 * B + 128].copy().reshape(4, 32)
        L = np.arange(32)
        v[1] = v[1] + v[1][L ^ 16]
        for q in (2, 3):
            for s in range(q):
                v[q] = v[q] + v[q][np.minimum(L + 1, 31)]
                if s == 1:
                    break
        v[:2] = v[:2] * v[:2, :1]
        y[128 * B : 128 * B + 128] = v.ravel()


def dims_expects(y: Any) -> None:
    import itertools

    for bz, by, bx, tz, ty, tx in itertools.product(range(2), range(3), range(2), range(2), range(4), range(3)):
        y[bx * 3 + tx + 6 * (by * 4 + ty + 12 * (bz * 2 + tz))] = (
            tx + 10 * ty + 100 * tz + 1000 * bx + 10000 * by + 100000 * bz
        )


def local_expects(n: Any, y: Any) -> None:
    for i in range(len(y)):
        a = [k * i if k != 3 else 0 for k in range(8)]
        a[i % 8] = 100
        s = 0
        for k in range(8):
            s = s * 3 + a[(k + n) % 8]
        y[i] = s


def local_loop_expects(y: Any) -> None:
    for i in range(len(y)):
        s = 0
        for k in range(3):
            a = [0] * 4
            a[k] = a[1] + i + 1
            s = s * 100 + a[0] + a[1] + a[2]
        y[i] = s


def local_barrier_expects(y: Any) -> None:
    for B in range(2):
        for t in range(40):
            a = [0] * 4
            a[t % 4] = t
            a[t % 3] += (39 - t) ** 2
            y[B * 40 + t] = a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3]


def early_barrier_expects(n: Any, x: Any, y: Any) -> None:
    for B in range(4):
        if n <= B:
            continue
        if x[0] > 5:
            y[50 * B : 50 * B + 50] = -1
            continue
        sh = x[50 * B : 50 * B + 50].copy()
        k = 0
        while True:
            W = np.roll(sh, -1)
            sh = W + k
            k += 1
            if k == n:
                y[50 * B : 50 * B + 50 : 2] = sh[::2]
                break
            if k > 3:
                y[50 * B : 50 * B + 50] = W * 1000
                break


def whiles_expects(n: Any, y: Any) -> None:
    for i in range(len(y)):
        a = 0
        b = 100
        while (a < n and b > i) or (a % 7 == 3 and b != 50) or False:
            a += 1
            b -= 3 if a % 2 else 1
            if 10 < a < 13 or a == 20:
                continue
            while b % 5 and b > -50:
                b -= 1
                if b == i:
                    break
            if a > 30:
                break
        y[i] = a * 1000 + b


def ranges_expects(n0: Any, s0: Any, y: Any) -> None:
    for i in range(len(y)):
        n, s = (n0, s0)
        acc = 0
        k = -77
        for k in range(n, i - 4, s):
            acc = wrapped(acc * 3 + k)
            n += 100
            s = 99
            k = k + 5
        y[i] = wrapped(acc * 1000 + k + n + s)


def range_ends_expects(y: Any) -> None:
    y[0] = (
        len(range(2**63 - 8, 2**63 - 1, 3))
        + 100 * len(range(-(2**63) + 8, -(2**63), -5))
        + 10000
        + 1000000 * len(range(-(2**63), 2**63 - 1, 2**62))
    )


def alias_seq_expects(n: Any, x: Any, y: Any) -> None:
    for k in range(n):
        a = x[k]
        y[k] = a + 1
        b = x[k]
        y[k + 1] = a * b + x[k + 1]


def ptr_pick_expects(f: Any, x: Any, y: Any) -> None:
    for i in range(len(y)):
        p = i
        if i % 3 == 1:
            p += 2
        elif i % 3 == 2:
            p = 0
        v = x[p]
        k = 0
        while k < i:
            p += 1
            k += 1
            if x[p] > 0.5:
                break
        y[i] = v + x[p] + k


def swaps_expects(n: Any, y: Any) -> None:
    for i in range(32):
        a, b, c, d = (i, 1, 2, 3)
        p, q = (0, 32)
        for k in range(n):
            a, b, c, d = (b, a + c, d, a)
            p, q = (q, p)
            if k == 2:
                b, a, c = (c, b, a)
        y[p + i] = wrapped(a + 10 * b + 100 * c + d)
        y[q + i] = n - 1 if n else 0


def devs_expects(x: Any, f: Any, y: Any) -> None:
    F = np.float32
    for i in range(32):
        a = int(x[i])
        v = f[i]
        y[i] = float(math.gcd(a, i * 6)) + (float(a) if a > 3 else float(v)) * float(v * F(3) + F(0.1))
        r = F(float(v) * 2 + float(F(0.1)))
        y[i + 32] = float(F(F(F(F(r + v) + (v if a > 0 else F(a))) + F(int(v))) + F(min(a, 3))))


def shared_scalar_expects(x: Any, y: Any) -> None:
    for B in range(3):
        for t in range(40):
            y[B * 40 + t] = x[B] + (31 - t % 32)


def cases() -> Iterator[Case]:
    yield Case("barrier_tree", 3, 64, [normal(192), np.zeros(3)], barrier_tree_expects)
    yield Case("early", 3, 37, [100, normal(100) * 3, np.zeros(111)], early_expects)
    for n in (1, 33, 64):
        yield Case("two_shared", 1, n, [SOURCE.integers(-9, 9, n), np.zeros(n, int)], two_shared_expects)
    for d in (0, 1, 31, 32, 33, -1, 2**40 + 5):
        yield Case("shuf", 2, 64, [SOURCE.integers(0, 999, 128), np.zeros(1024, int), d], shuf_expects)
    yield Case(
        "shuf_types",
        1,
        64,
        [normal(64).astype(np.float32), SOURCE.random(64) > 0.5, normal(64), np.zeros(64)],
        shuf_types_expects,
    )
    yield Case("group_uniform", 2, 128, [normal(256), np.zeros(256)], group_uniform_expects)
    yield Case("dims", (2, 3, 2), (3, 4, 2), [np.zeros(6 * 12 * 4, int)], dims_expects)
    yield Case("local", 2, 9, [5, np.zeros(18, int)], local_expects)
    yield Case("local_loop", 2, 9, [np.zeros(18, int)], local_loop_expects)
    yield Case("local_barrier", 2, 40, [np.zeros(80, int)], local_barrier_expects)
    for n, x0 in ((3, 1), (2, 9), (0, 1), (9, 1)):
        x = SOURCE.integers(0, 99, 200)
        x[0] = x0
        yield Case("early_barrier", 4, 50, [n, x, np.zeros(200, int)], early_barrier_expects)
    for n in (0, 5, 40):
        yield Case("whiles", 2, 30, [n, np.zeros(60, int)], whiles_expects)
    for n, s in ((0, 1), (10, -1), (10, -3), (-9, 4), (5, 2**63 - 1), (9, -(2**63))):
        yield Case("ranges", 1, 20, [n, s, np.zeros(20, int)], ranges_expects)
    yield Case("range_ends", 1, 1, [np.zeros(1, int)], range_ends_expects)
    yield Case("alias_seq", 1, 32, [9, X.copy(), X.copy()], alias_seq_expects)
    yield Case("ptr_pick", 1, 16, [True, normal(64), np.zeros(16)], ptr_pick_expects)
    for n in (1, 3, 8):
        yield Case("swaps", 1, 32, [n, np.zeros(64, int)], swaps_expects)
    yield Case(
        "devs", 1, 32, [SOURCE.integers(-50, 50, 32), (normal(32) * 9).astype(np.float32), np.zeros(64)], devs_expects
    )
    yield Case("shared_scalar", 3, 40, [normal(3), np.zeros(120)], shared_scalar_expects)
