"""What the kernels of `programs/tiles.py` leave in their arrays, in plain Python and NumPy."""

# ruff: noqa: B007, E741, N806

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, halve, normal, wrapped

I = np.array([0, 1, -1, 2**31 - 1, -(2**31), 46341, -46341, 65536] * 4, np.int32)
F = np.array([0, -0.0, 1e-45, 3e38, -3e38, np.nan, np.inf, -np.inf] * 4, np.float32)[SOURCE.permutation(32)]
E = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 3, -7, 5e-324, -5e-324, 1e300, -1e300, np.inf, -np.inf, np.nan,
    0.1, 2.5, -2.5, 1e-310, 1.7976931348623157e308, 1e17, -1e17, 7.3, -0.3, 1e-05, 4, -4, 1 / 3, 6, 9, 10,
    -300000.0])  # fmt: skip

af, bf = [q.ravel() for q in np.meshgrid(E, E)]


E = np.array([0, 1, -1, 2, -2, 3, -3, 7, -7, 8, -8, 63, 64, 65, -64, 2**62, -(2**62), 2**63 - 1, -(2**63),
    -(2**63) + 1, 10, 100, -100, 31, 32, 33, 5, 9, 11, 12345, -12345, 1000000007], dtype=int)  # fmt: skip

ai, bi = [q.ravel() for q in np.meshgrid(E, E)]


def col(n):
    k = 0
    while n != 1 and k < 200:
        n = n // 2 if n % 2 == 0 else wrapped(3 * n + 1)
        k += 1
    return k


def cl(x, lo, hi):
    return lo if x < lo else hi if x > hi else x


def mx(v):
    if np.isnan(v).any():
        return np.nan
    m = v.max()
    return 0.0 if m == 0 and (np.signbit(v) == 0)[v == 0].any() else m


def mn(v):
    return -mx(-v)


X = normal(128)
X[40] = np.nan
X[64:96] = np.nan
X[96:] = -0.0
X[100] = 0.0


def sat(x):
    if x != x:
        return 0
    if x >= 2**63:
        return 2**63 - 1
    if x <= -(2**63):
        return -(2**63)
    return int(x)


def one_lane_expects(x: Any, y: Any) -> None:
    for p in range(4):
        y[p] = x[p] * x[p] + x[p]


def tiny_expects(x: Any, y: Any) -> None:
    for p in range(4):
        y[2 * p : 2 * p + 2] = x[2 * p : 2 * p + 2] - (x[2 * p] + x[2 * p + 1]) / 2


def huge_expects(x: Any, y: Any, s: Any) -> None:
    f = np.float32
    w = np.where(x > 0, x, -x * f(0.5))
    for k in range(3):
        w = w * f(0.5) + x[::-1]
    y[:] = w
    s[0] = halve(w)
    s[1] = w.max()


def sizes_expects(x: Any, y: Any) -> None:
    a = x[:4].sum()
    b = x[:16].max()
    c = x.min()
    y[:8] = x[:8] * a + b - c
    y[8:] = np.arange(512) % 7 * a + b // (c + 1)


def carry_expects(n: Any, x: Any, y: Any) -> None:
    a = x[:64].copy()
    b = x[64:128].copy()
    o = 0
    k = 0
    while k < n:
        a, b = (b, a + b)
        o += 1
        if k % 3 == 2:
            a = a + x[o : o + 64]
            k += 2
            continue
        if halve(a) > 1000000.0:
            break
        k += 1
    y[:64] = a
    y[64:128] = b
    y[128] = k


def ret_expects(n: Any, x: Any, y: Any) -> None:
    v = x.copy()
    for i in range(n):
        if v.max() > 50:
            y[:] = v
            return
        for q in range(i):
            v = v * 1.25
            if q > 2:
                return
    y[:] = -v


def sh_expects(n: Any, x: Any, y: Any) -> None:
    l = np.arange(64)
    x[:64] = l * n
    a = x[l + 1].copy()
    x[l + 1] = a + 1
    y[:] = a * 1000 + x[63 - l]


def dup_expects(x: Any) -> None:
    x[:4] = 7
    x[10] = 5
    x[20] = 12


def wild_expects(n: Any, x: Any, y: Any) -> None:
    v = np.full(128, 3.0)
    hi = max(5, min(n, 128))
    v[5:hi] = x[5:hi]
    y[5:hi] = v[5:hi] * 2
    y[127] = halve(v)
    y[126] = -1


def null_expects(n: Any, x: Any, y: Any) -> None:
    y[:] = np.pi


def aliased_expects(x: Any, y: Any, z: Any) -> None:
    l = np.arange(32)
    a = x[l].copy()
    y[l] = a + 1
    b = x[l + 1].copy()
    z[31 - l] = b * 2
    c = x[l].copy()
    s = x[3]
    y[3] = s + 1
    s2 = x[3]
    z[l + 32] = a + b + c + s * s2


def scalar_mut_expects(x: Any) -> None:
    for p in range(len(x)):
        s = x[p]
        u = s + 1
        v = u * s if u > s else -1.0
        x[p] = v + v + s


def mixes_expects(i: Any, f: Any, b: Any, o: Any, oi: Any, of: Any, o32: Any) -> None:
    f4 = np.float32
    l = np.arange(32)
    of[:32] = i.astype(f4) * f + b.astype(f4)
    of[32:64] = f * f4(0.1) + i.astype(f4)
    of[64:96] = (i / (l + 1)).astype(f4)
    o[:32] = i * 0.1 + b
    o[32:64] = b * 0.1
    o[64:96] = np.where(b, f, f4(2))
    oi[:32] = i + np.int32(2147483647) * b.astype(np.int32)
    oi[32:64] = b.astype(int) + b + (i > 0).astype(np.int32) * i
    oi[64:] = i.astype(int) * l
    o32[:32] = i * i
    o32[32:64] = i + np.int32(2147483647)
    o32[64:96] = l * 4294967297 + i.astype(int)
    o32[96:] = np.where(b, i, ~i)


def divs_expects(a: Any, b: Any, o: Any) -> None:
    for k in range(1024):
        x, y = (float(a[k]), float(b[k]))
        if y == 0:
            q = r = np.nan
        else:
            q, r = (x // y, x % y)
        o[k] = q
        o[1024 + k] = r
        o[2048 + k] = np.float64(x) / np.float64(y)


def idivs_expects(a: Any, b: Any, o: Any) -> None:
    for k in range(1024):
        x, y = (int(a[k]), int(b[k]))
        o[k] = wrapped(x // y) if y else 0
        o[1024 + k] = x % y if y else 0
        o[2048 + k] = wrapped(x << y) if 0 <= y < 64 else 0
        o[3072 + k] = x >> y if 0 <= y < 64 else -1 if x < 0 else 0
        o[4096 + k] = x // -8
        o[5120 + k] = x % 8
        o[6144 + k] = x % -8
        o[7168 + k] = wrapped(x**13)


def dev_expects(x: Any, y: Any, z: Any, n: Any) -> None:
    f = np.float32
    for k in range(64):
        y[k] = cl(x[k], -1.0, 2.5)
        y[64 + k] = col(k + 1)
        v = f(x[k])
        r = None
        for i in range(n):
            if v > 100:
                r = v
                break
            v = v * f(1.5) + f(i)
        z[k] = -v if r is None else r
    y[128] = cl(float(n), 0.0, 3.0)
    y[129] = col(n)


def sw_expects(n: Any, x: Any, y: Any) -> None:
    a, b, c = (x[:16], x[16:32], x[32:])
    for i in range(n):
        a, b, c = (c, a, b)
        if i % 2:
            a, b = (b, a)
    y[:16] = a
    y[16:32] = b
    y[32:48] = c
    y[48:] = a + c + 1 - (a + c)


def grid3_expects(y: Any) -> None:
    for a in range(3):
        for b in range(2):
            for c in range(4):
                y[a + 3 * (b + 2 * c)] = 324000 + a * 100 + b * 10 + c


def anyall_expects(x: Any, y: Any, z: Any) -> None:
    for p in range(3):
        v = x[256 * p : 256 * p + 256]
        z[2 * p] = (v > 5).any()
        z[2 * p + 1] = (v < 9).all()
        y[p] = (v > 3).sum() + np.where(v > 3, v, -1).max()
        if (v == 4).any() and (not (v == 4).all()):
            y[p] = 12345


def nanred_expects(x: Any, y: Any) -> None:
    for p in range(4):
        v = x[32 * p : 32 * p + 32]
        g = v[~np.isnan(v)]
        y[8 * p] = mx(v)
        y[8 * p + 1] = mn(v)
        y[8 * p + 2] = mx(g) if len(g) else np.nan
        y[8 * p + 3] = mn(g) if len(g) else np.nan
        y[8 * p + 4] = halve(v)
        y[8 * p + 5] = -np.inf
        y[8 * p + 6] = np.nan if np.isnan(v).any() else max(mx(v), -0.0) if mx(v) != 0 else mx(v)


def scal_expects(n: Any, a: Any, q: Any, y: Any, z: Any) -> None:
    y[0] = a if q else n
    fin = math.isfinite(a)
    R = sat(round(a)) if fin else sat(a)
    Fl = sat(math.floor(a)) if fin else sat(a)
    C = sat(math.ceil(a)) if fin else sat(a)
    y[1] = wrapped(wrapped(wrapped(R + wrapped(Fl * 10)) + wrapped(C * 100)) + wrapped(sat(a) * 1000))
    z[0] = n // 7 * 100 + n % 7
    y[2] = a // 0.7
    y[3] = a % 0.7
    z[1] = abs(n) + min(n, 3, -2) * max(n, 1)
    y[4] = np.nan if a != a else max(a, n, 0.5)
    y[5] = math.sqrt(abs(a)) + math.copysign(1, a) + abs(a)
    z[2] = math.isnan(a) + 2 * math.isinf(a) + 4 * math.isfinite(a)
    z[3] = bool(a) + bool(n) * 2 + (not q) * 4
    z[4] = 0 < n < 10 <= n + 5 != 12
    y[6] = n / 3
    y[7] = n // 2 / 4 + a * a * a
    z[5] = n & 255 | 1 ^ n
    z[6] = -(n**2)
    y[8] = float(n) + q
    z[7] = q & (n > 3) | (not q)
    y[9] = 2**40 * 0.001 + 20


def cases() -> Iterator[Case]:
    yield Case("one_lane", 4, None, [normal(4), np.zeros(4)], one_lane_expects)
    yield Case("tiny", 4, None, [normal(8), np.zeros(8)], tiny_expects)
    yield Case(
        "huge",
        1,
        None,
        [normal(65536).astype(np.float32), np.zeros(65536, np.float32), np.zeros(2, np.float32)],
        huge_expects,
    )
    yield Case("sizes", 1, None, [SOURCE.integers(-50, 50, 128), np.zeros(520, int)], sizes_expects)
    for n in (0, 1, 7, 40):
        yield Case("carry", 1, None, [n, abs(normal(128)), np.zeros(129)], carry_expects)
    for n in (0, 2, 3, 4, 5, 9):
        yield Case("ret", 1, None, [n, normal(32) * 30, np.zeros(32)], ret_expects)
    yield Case("sh", 1, None, [5, SOURCE.integers(0, 9, 65), np.zeros(64, int)], sh_expects)
    yield Case("dup", 1, None, [np.zeros(21, int)], dup_expects)
    yield from more_cases()


def more_cases() -> Iterator[Case]:
    for n in (0, 6, 100, 128):
        yield Case("wild", 1, None, [n, normal(128), np.zeros(128)], wild_expects)
    yield Case("null", 1, None, [0, np.zeros(0), np.zeros(128)], null_expects)
    yield Case("aliased", 1, None, [normal(64), normal(64), normal(64)], aliased_expects)
    yield Case("scalar_mut", 5, None, [np.array([1.5, -2, np.nan, 1e300, np.inf])], scalar_mut_expects)
    yield Case(
        "mixes",
        1,
        None,
        [
            I,
            F,
            SOURCE.random(32) > 0.5,
            np.zeros(96),
            np.zeros(96, int),
            np.zeros(96, np.float32),
            np.zeros(128, np.int32),
        ],
        mixes_expects,
    )
    yield Case("divs", 16, None, [af, bf, np.zeros(3072)], divs_expects)
    yield Case("idivs", 16, None, [ai, bi, np.zeros(8192, int)], idivs_expects)
    for n in (0, 3, 30, -4):
        yield Case("dev", 1, None, [normal(64) * 5, np.zeros(130), np.zeros(64, np.float32), n], dev_expects)
    for n in (0, 1, 2, 5):
        yield Case("sw", 1, None, [n, normal(48), np.zeros(64)], sw_expects)
    yield Case("grid3", (3, 2, 4), None, [np.zeros(24, int)], grid3_expects)
    yield Case(
        "anyall",
        3,
        None,
        [
            np.concatenate([SOURCE.integers(0, 9, 256), np.full(256, 4), np.full(256, -7)]),
            np.zeros(3, int),
            np.zeros(6, bool),
        ],
        anyall_expects,
    )
    yield Case("nanred", 4, None, [X, np.zeros(32)], nanred_expects)
    for n, a, q in (
        (5, 2.5, True),
        (-9, -0.0, False),
        (7, float("inf"), True),
        (0, -3.5, False),
        (12, 1e19, True),
        (6, float("nan"), False),
    ):
        yield Case("scal", 1, None, [n, a, q, np.zeros(10), np.zeros(8, int)], scal_expects)
