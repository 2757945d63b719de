"""What the kernels of `programs/flow.py` leave in their arrays, in plain Python and NumPy."""

# ruff: noqa: B007, E741, N806

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, halve, normal, wrapped, wrapped32


def inner(a, b, c):
    for i in range(a):
        for i in list(range(i)):  # noqa: B020
            if i == b:
                return i + 100 if c else -i
            if i > 5 and (not c):
                break
        a += i % 2
    return a


def outer(n, f):
    n = inner(n, 3, f > 0) + inner(n % 4, -1, n > 3)
    f = f if f == f else -1.0
    while f > 1:
        f /= 2
        if inner(n, 1, True) > 3:
            continue
        n -= 1
    return f + n


def sg(x: Any) -> int:
    return int(float(x) > 0) - int(float(x) < 0)


X = normal(16) * 3
X[3] = np.nan
X[4] = 0
X[5] = -0.0
X[6] = np.inf
X2 = normal(16) * 9
X2 = abs(X2)
X[6] = 77
S2 = normal(128) * 0.1
A = np.array([0, 1, -1, 2**31 - 1, -(2**31), 12345, -99, 7], np.int32)
B = np.array([3, -1, 2**63 - 1, 33, 64, -(2**63), 0, 7])
a, b = [q.ravel() for q in np.meshgrid(A, B)]


def devs_expects(x: Any, y: Any, n: Any) -> None:
    for l in range(16):
        y[l] = outer(l, float(x[l]))
        y[l + 16] = sg(x[l]) * sg(x[l] - 1) + sum(sg(v) for v in x)
    with np.errstate(all="ignore"):
        y[32] = sum(int(sg(x[k])) if k % 2 else int(sg(halve(x))) for k in range(n))


def hazards_expects(n: Any, x: Any, y: Any) -> None:
    l = np.arange(128)
    p = 0
    acc = x[:128].copy()
    for k in range(n):
        x[p + l] = acc + k
        acc = x[(l + k * 3 + 1) % 128].copy()
        p = 64 if k % 2 == 1 else 1
        if x[p + 3] > 50:
            x[5] = -1
            continue
        x[p + 7] = x[p + 8] * 0.5
        acc = acc + x[127 - l]
    y[:] = acc


def loopcond_expects(x: Any, y: Any) -> None:
    k = 0
    while halve(x[:32]) < 1000 and k < 50:
        x[:32] = x[:32] * 2 + 1
        x[32:] += x[:32].max()
        k += 1
    y[0] = k
    y[1:] = np.trunc(x[32:]).astype(int) % 1000


def boolcarry_expects(n: Any, x: Any, y: Any, z: Any) -> None:
    v = x.copy()
    al = v > 0
    st = v * 0
    k = 0
    while al.any() and k < n:
        v = np.where(al, np.where(v % 2 == 0, v // 2, v * 3 + 1), v)
        st = st + al
        al = al & (v != 1)
        k += 1
    y[:64] = st * 1000 + v
    z[:] = ~al | (v == 4)
    y[64] = k


def widen_expects(n: Any, y: Any) -> None:
    a = 0.0
    b = 7
    c = 1.0
    for k in range(n):
        a += 0.5
        b //= 2
        c = float(b) if k % 2 else a
    y[:] = [a, b, c, a // 2, 3 + a]


def big_expects(x: Any, i: Any, y: Any, z: Any) -> None:
    v = x
    r = x[::-1]
    g = x[i]
    m = (v * r).max() - g.min()
    y[:2048] = np.where(v > r, g, m)
    y[2048 + i] = v
    q = i
    z[:2048] = q * np.int32(65537) + q.max() - (q << 3) + (q >> 1) + (q & 255) ** 2
    z[2048] = wrapped32((q.astype(np.int32) * q).astype(int).sum())
    z[2049:2053] = [wrapped32(int(i[k * 512]) + int(i[:4].astype(int).sum())) for k in range(4)]
    y[4096:] = y[np.arange(8) * 256 + 2048] + halve(x[:8])


def guards_expects(n: Any, x: Any, y: Any) -> None:
    a = x[0] if n == 0 else -1.0
    b = 5.0 if n != 0 or x[0] > 1000000000.0 else 6.0
    c = x[1] if n > 1 and x[n % 3] < 0 < x[0] * 0 + 1 else a
    t = np.where(np.arange(8) < 4, x[:8], 0) if n == 0 else x[:8]
    if n == 0 and halve(t) != 0.25:
        t = t + 1
    y[:] = t + a + b + c


def tguards_expects(n: Any, x: Any, y: Any) -> None:
    for i in range(len(y)):
        q = i * i * 1000003 - 5
        ok = (0 <= q < n and x[q] > 0) or i == 3
        v = x[q] if q >= 0 and q < n else -2.5
        W = 0.0
        if i > 2 and (q < n or i % 2 == 0) and (not (q > n and x[i % n] > 0)):
            W = 1
        y[i] = v + W + ok * 10


def aug_expects(n: Any, y: Any, z: Any) -> None:
    F = np.float32
    for i in range(len(y) // 4):
        a = i - 5
        a += n
        a -= 3
        a *= 7
        a //= 4
        a %= 11
        a <<= 3
        a |= 5
        a ^= 2
        a &= 63
        a >>= 1
        a **= 3
        b = float(a)
        b /= 3
        b //= 0.5
        b **= 2
        b %= 7
        c = F(0.1)
        d = 2147483647
        for k in range(3):
            c = c + c * F(1.1)
            d = wrapped32(d + i)
        e = f = g = a - 1
        e, f = divmod(e, -7)
        g, hh = (g + 1, g)
        y[4 * i : 4 * i + 4] = [a, d, e * 100 + f, g * 1000 + hh]
        z[2 * i] = b
        z[2 * i + 1] = c


def bools_expects(x: Any, y: Any, f: Any, z: Any) -> None:
    F = np.float32
    for i in range(len(y)):
        a = bool(x[i])
        b = bool(x[i + 1])
        v = f[i]
        s = 0
        for t in (
            -a,
            +b,
            a + b,
            a == b,
            a < b,
            a ^ b,
            not a,
            not b,
            a and b,
            a * b - a // (b + 1),
            (a << 2) + b % 2,
            max(a, b) + min(a, 3),
            int(a) + abs(b),
        ):
            s = s * 2 + int(t)
        y[i] = s
        t = F(v * F(a)) + F(b * 0.1)
        t = F(t) + F(0.5 if v else 2.0)
        t = F(t) + F(0 if v else 1)
        t = F(t) + F(bool(v))
        t = F(t) + F((v > 0) / 4)
        z[i] = F(t) + F(a / 2)


def nest_expects(n0: Any, y: Any) -> None:
    for i in range(len(y)):
        n = n0
        s = 0
        r = False
        for k in range(n):
            for k in list(range(k)):  # noqa: B020
                if k == i % 4:
                    continue
                s = s * 3 + k
                if s > 10000:
                    break
            s += k
            k = 100
            while 1:
                s -= k
                k //= 3
                if not k:
                    break
                if s < -5000:
                    r = True
                    break
            if r:
                break
        if r:
            continue
        while n:
            n -= 1
            if n == 3:
                break
            s += n
        y[i] = s


def xyz_expects(x: Any, y: Any) -> None:
    F = np.float32
    for b in range(6):
        v = [int(q) for q in x[b * 105 : b * 105 + 105]]
        for k in range(4):
            s = v[:]
            r = [0] * 105
            for t in range(105):
                r[104 - t] = float(F(v[t] * 0.5))
            for t in range(105):
                if t % 3 == 0:
                    v[t] += s[(t * 7 + k) % 105]
                elif v[t] > 100:
                    v[t] = int(r[t])
            if s[0] > 500:
                break
        y[b * 105 : b * 105 + 105] = v


def shufloop_expects(n: Any, x: Any, y: Any) -> None:
    v = x.reshape(-1, 32).copy()
    L = np.arange(32)
    k = 1
    while k < 32:
        up = v[:, np.where(k <= L, L - k, L)]
        v = np.where(k <= L, v + up, v)
        k *= 2
    for g in range(len(v)):
        tot = v[g, 31]
        for r in range(n):
            W = v[g][np.where(L + r + 1 < 32, L + r + 1, L)]
            v[g] = np.where(v[g] < W, W, v[g] - tot)
    y[:] = v.ravel()


def locals_expects(n: Any, y: Any) -> None:
    for i in range(len(y)):
        st = [0] * 16
        top = 1
        st[0] = i
        c = 0
        ret = False
        while top > 0 and c < 100:
            top -= 1
            v = st[top]
            c += 1
            if v > 1:
                st[top] = v // 2
                st[top + 1] = v // 3
                top += 2
                if top > 14:
                    ret = True
                    break
        if ret:
            continue
        st[1] = n
        y[i] = c * 10 + n


def intmix_expects(a: Any, b: Any, y: Any) -> None:
    for i in range(len(a)):
        p = int(a[i])
        q = int(b[i])
        y[8 * i] = wrapped(p << q) if 0 <= q < 64 else 0
        y[8 * i + 1] = wrapped32(p << 31)
        y[8 * i + 2] = -1 if p < 0 else 0
        y[8 * i + 3] = wrapped(wrapped32(p * p) + q)
        y[8 * i + 4] = wrapped32(-p)
        y[8 * i + 5] = wrapped32(wrapped32(abs(p)) + wrapped32(p // -1))
        y[8 * i + 6] = wrapped(wrapped(wrapped32(p // 3) * q) + p % -5)
        y[8 * i + 7] = wrapped(wrapped(wrapped(max(p, q) - min(p, 7)) + (p == q)) + ~p)


def zero_d_expects(x: Any, n: Any) -> None:
    for p in range(4):
        if p >= n:
            continue
        t = x[p]
        for k in range(3):
            x[p] = t * 2
            t = x[p] + t
        x[p] = t


def scalar_then_tile_expects(n: Any, x: Any, y: Any) -> None:
    l = np.arange(256)
    for k in range(n):
        x[k] += k
        v = x[:256].copy()
        x[255 - k] = halve(v)
        y[:] = v + x[255 - l]
        W = y[l ^ 1]
        y[0] = y[1] + W.max()
        if y[0] > 1000.0:
            return


def cases() -> Iterator[Case]:
    for n in (0, 5):
        yield Case("devs", 1, None, [X, np.zeros(33), n], devs_expects)
        yield Case("devs", 1, None, [X2, np.zeros(33), n], devs_expects)
    for n in (0, 1, 2, 9):
        yield Case("hazards", 1, None, [n, normal(192) * 10, np.zeros(128)], hazards_expects)
    yield Case("loopcond", 1, None, [abs(normal(1056)), np.zeros(1025, int)], loopcond_expects)
    for n in (0, 7, 500):
        yield Case(
            "boolcarry",
            1,
            None,
            [n, SOURCE.integers(-3, 99, 64), np.zeros(65, int), np.zeros(64, bool)],
            boolcarry_expects,
        )
    for n in (0, 1, 4):
        yield Case("widen", 1, None, [n, np.zeros(5)], widen_expects)
    yield Case(
        "big",
        1,
        None,
        [
            normal(2048).astype(np.float32),
            SOURCE.permutation(2048).astype(np.int32),
            np.zeros(4104, np.float32),
            np.zeros(2053, np.int32),
        ],
        big_expects,
    )
    for n in (0, 1, 2, 3, 4):
        yield Case("guards", 1, None, [n, normal(8), np.zeros(8)], guards_expects)
    yield Case("tguards", 3, 5, [10, normal(10), np.zeros(15)], tguards_expects)
    yield Case("aug", 2, 9, [4, np.zeros(72, int), np.zeros(36)], aug_expects)
    yield Case(
        "bools",
        2,
        8,
        [
            SOURCE.random(17) > 0.5,
            np.zeros(16, int),
            np.array([0, -0.0, np.nan, 1e-45, 1, -3, np.inf, 2.5] * 2, np.float32),
            np.zeros(16),
        ],
        bools_expects,
    )
    for n in (0, 1, 5, 12):
        yield Case("nest", 2, 7, [n, np.full(14, -7)], nest_expects)
    yield Case("xyz", (3, 2), (3, 5, 7), [SOURCE.integers(-99, 300, 630), np.zeros(630, int)], xyz_expects)
    yield Case("shufloop", 2, 64, [0, S2, np.zeros(128)], shufloop_expects)
    yield Case("shufloop", 2, 64, [4, S2 * 30, np.zeros(128)], shufloop_expects)
    yield Case("locals_", 5, 33, [6, np.full(165, -1)], locals_expects)
    yield Case("intmix", 2, 32, [a, b, np.zeros(512, int)], intmix_expects)
    yield Case("zero_d", 4, None, [normal(4), 3], zero_d_expects)
    for n in (0, 1, 6):
        yield Case("scalar_then_tile", 1, None, [n, normal(256), np.zeros(256)], scalar_then_tile_expects)
