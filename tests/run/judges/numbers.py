"""What the kernels of `programs/numbers.py` leave in their arrays, in plain Python and NumPy."""

# ruff: noqa: B007, E741, N803, N806

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from tests.run.judged import SOURCE, Case, halve, normal

F = np.float32


def pf(x, y):
    if y == 0:
        return np.nan
    return float(x) // float(y)


def pm(x, y):
    if y == 0:
        return np.nan
    try:
        return float(x) % float(y)
    except ValueError:
        return np.nan


E = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 3, -7, 5e-324, -5e-324, 1e300, -1e300, np.inf, -np.inf, np.nan,
    0.1, 2.5, -2.5, 1e-310, 1.7976931348623157e308, 1e17, -1e17, 7.3, -0.3, 1e-05, 4, -4, 1 / 3, 1.5,
    9007199254740993, 4503599627370498.0, -300000.0])  # fmt: skip

V = np.vectorize


def ref_fma(a, b, c):
    if not all(map(np.isfinite, (a, b, c))):
        return F(np.float64(a) * np.float64(b) + np.float64(c))
    e = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if e == 0:
        return F(np.float64(a) * np.float64(b) + np.float64(c))
    d = float(e)
    lo = F(d)
    best = min(
        (lo, np.nextafter(lo, F(np.inf)), np.nextafter(lo, F(-np.inf))),
        key=lambda t: (
            abs(Fraction(float(t)) - e) if np.isfinite(t) else Fraction(10) ** 60,
            int(t.view(np.int32)) & 1,
        ),
    )
    if np.isinf(lo):
        return lo
    return best


with np.errstate(over="ignore"):
    E32 = E.astype(F)
E32[8] = 1e-45
E32[9] = -1e-45
E32[10] = 3.4e38
E32[18] = 1e-39
E32[28] = 16777217.0
I = np.array([0, 1, -1, 2**53 + 1, 2**53, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 1, 16777217,
    -16777217, 2**31, 2**31 - 1, -(2**31), -(2**31) - 1, 33554431, 33554433, 2**40 + 1, 5, 7, -3,
    2**24 + 3, 2**25 + 6, 10**18, -(10**18), 123456789, 99, 3, 4, -4, 2**63 - 512, 2**63 - 513], int)  # fmt: skip

FF = E.copy()
FF[3] = 2**53
FF[4] = 2**53 + 2.0
FF[6] = 2.0**63
FF[7] = -(2.0**63)
FF[11] = 2.0**31
FF[12] = 2147483647.5
FF[13] = -2147483648.9
FF[20] = 9.223372036854775e18


def sat(x, b=64):
    if x != x:
        return 0
    x = max(min(float(x), 2.0**70), -(2.0**70))
    return max(min(int(x), 2 ** (b - 1) - 1), -(2 ** (b - 1)))


def i2f(i):
    lo = F(int(i))
    c = [F(float(i))]
    lo = c[0]
    return min(
        (lo, np.nextafter(lo, F(np.inf)), np.nextafter(lo, F(-np.inf))),
        key=lambda t: (abs(int(t) - int(i)), int(t.view(np.int32)) & 1),
    )


def contract_in(f):

    def j(x, w, z, y):
        y[:64] = x * w + z
        y[64:128] = z - x * w
        y[128:192] = -(x * w) - z
        y[192:256] = x * w + z * x
        y[256:320] = x * (x * x) + z
        y[320:384] = x * x - w * w
        p = x * w
        y[384:448] = p
        y[448:512] = p - x * w + z
        y[512:576] = np.where(x > 0, p, z) + w
        y[576:640] = p + z
        y[640:704] = np.maximum(x * w, z * w) + z
        y[704:768] = abs(x * w) - z
        s = z
        for k in range(5):
            s = s + x * w
            s = s * w - x
        y[768:832] = s
        y[832] = halve(x * w)
        y[833] = halve(x * w + z) + halve(x) * halve(w)
        y[834] = x[0] * w[0] + z[0]
        y[835] = z[1] - x[1] * f(3.1)

    return j


def contract_t_expects(x: Any, w: Any, z: Any, y: Any, n: Any) -> None:
    for i in range(64):
        acc = 0.0
        k = 0
        while acc < 1000000000.0 and k < n:
            acc = acc + x[i] * w[i]
            acc -= w[i] * z[i] if k % 2 else z[i] * x[i]
            k += 1
        t = x[i] * w[i]
        t = t + z[i] if i % 2 else t - z[i] * w[i]
        y[i] = acc * t + z[i]
        y[i + 64] = x[i ^ 1] * w[i ^ 1] + z[i]


def algebra_expects(x: Any, y: Any, u: Any) -> None:
    v = [
        x * 0.0,
        x - x,
        x + 0.0,
        0.0 - x,
        -x,
        x / x,
        x * 1.0 + -0.0,
        x / 3.0,
        x / 4.0,
        x / u,
        u / x,
        V(pf)(x, 1.0),
        V(pm)(x, 1.0),
        np.where(x == x, x, -7),
        x != x,
        ~(x < 1),
        np.where((x > 0) ^ (x < 1e300), x * -1, x),
        np.sqrt(x),
        np.round(x) + np.floor(x),
        np.ceil(x),
        x * 0.0,
        x**0,
        x,
        x * (1 / 3),
        V(pm)(x, -np.inf),
        V(pf)(x, np.inf),
    ]
    for k, a in enumerate(v):
        y[32 * k : 32 * k + 32] = a


def algebra32_expects(x: Any, y: Any, u: Any, v: Any) -> None:
    v = F(v)
    U = F(u)

    def r32(fn):
        return lambda a, b: F(fn(a, b))

    R = [
        x / U,
        x / v,
        x * U / v,
        U / x,
        V(r32(pf))(x, U),
        V(r32(pm))(x, v),
        np.sqrt(x),
        x * F(1e-40),
        x * F(np.inf),
        None,
        x / F(7),
        x * U * F(0.1),
        x * F(u * 0.1),
    ]
    for k, a in enumerate(R):
        if a is not None:
            y[32 * k : 32 * k + 32] = a
    y[288:320] = [ref_fma(a, U, v) for a in x]


def conv_expects(i: Any, f: Any, y: Any, z: Any, q: Any, bb: Any, W: Any) -> None:
    fi = np.array([i2f(k) for k in i], F)
    f32 = f.astype(F)
    y[:32] = fi
    y[32:64] = fi
    y[64:96] = f32
    y[96:] = f32 + fi
    z[:32] = i.astype(np.int32)
    z[32:64] = [sat(k, 32) for k in f]
    z[64:96] = [sat(k, 32) for k in f32]
    z[96:] = (i > 3) + i.astype(np.int32)
    fd = i.astype(float)
    q[:32] = (fd == f) * 1.0 + (fd < f) * 2.0
    q[32:64] = fd + f
    q[64:96] = fd / 3.0
    q[96:] = V(pf)(fd, 2.5)
    bb[:32] = f != 0
    bb[32:] = (i != 0) & (f >= fd)
    W[:32] = [sat(k) for k in f]
    W[32:64] = [sat(k) for k in f32]
    W[64:] = (f != 0).astype(int) - i.astype(np.int32)


def flow_expects(n: Any, m: Any, x: Any, y: Any) -> None:
    v = x
    if m:
        t = v * 2
        s = halve(t)
    elif n > 5:
        t = x[::-1]
        s = 1.0
    else:
        t = v
        s = v.max()
        if n < 0:
            y[:128] = 5
            return
    r = t if s > n else v + 1
    u = (v if n == 2 else t) + (halve(v) if n else 3.0)
    k = 0
    while halve(r) < 100 and (k < n or m) and (not (r > 5).all()):
        r = r * 1.5 + 1
        k += 1
        if m:
            y[128:256][:k] = r[:k]
        if (r > 1000).any():
            break
    y[:128] = r + u
    y[256] = k
    y[257:385][101:] = 4
    if m:
        y[385:513] = v
    y[513:641] = v if m else -1.5
    y[641:769] = v if m else 2.0
    y[769:897] = [float(np.float64(a) * 2 + s) for a in v]


def static_one_expects(c: Any, n: Any, x: Any, y: Any, r: Any) -> None:
    l = np.arange(c)
    a = x[l % n]
    for k in range(r):
        a = a * 3 + k
    if c > 32:
        a = a + x[np.arange(c // 2) % n].sum()
    y[:] = a**2 % (c * r + 1)


def register_expects(x: Any, y: Any, d: Any, m: Any, s: Any) -> None:
    u = (x + d) * m - s
    for a in range(3):
        u = u + a
        dl = u
    y[:] = dl + u.sum() + 2


def summer_expects(g: Any, d: Any, v: Any) -> None:
    d[:] = g * v + 1 - g


def shadow_expects(p: Any, t: Any, q: Any) -> None:
    a = (halve(p) + t) * q
    for k in range(3):
        a = a + k
    p[:] = p + a


def consts_expects(y: Any) -> None:
    l = np.arange(4)
    y[:4] = 3 * l + 4.5 + 128
    y[4:8] = 1 / 3 * 3 + np.sqrt(2) + 2 + 1
    y[8:] = [-np.inf, -np.inf, np.inf, np.inf]


def cases() -> Iterator[Case]:
    yield Case("contract", 1, None, [normal(64), normal(64), normal(64), np.zeros(836)], contract_in(np.float64))
    yield Case(
        "contract32",
        1,
        None,
        [normal(64).astype(F), normal(64).astype(F), normal(64).astype(F), np.zeros(836, F)],
        contract_in(F),
    )
    yield Case("contract_t", 2, 32, [normal(64), normal(64), normal(64), np.zeros(128), 7], contract_t_expects)
    for u in (3.0, 0.0, 1e-310, -np.inf, 7.1):
        yield Case("algebra", 1, None, [E, np.zeros(832), u], algebra_expects)
    for u, v in ((3.3, 2.5), (1e-50, 7.0), (1e39, -0.0), (0.1, 1e-45), (-2.0, np.inf)):
        yield Case("algebra32", 1, None, [E32, np.zeros(416, F), u, v], algebra32_expects)
    yield Case(
        "conv",
        1,
        None,
        [I, FF, np.zeros(128, F), np.zeros(128, np.int32), np.zeros(128), np.zeros(64, bool), np.zeros(96, int)],
        conv_expects,
    )
    for n, m in ((0, True), (7, False), (2, False), (-1, False), (5, True), (0, False)):
        yield Case("flow", 1, None, [n, m, normal(128), np.zeros(897)], flow_expects)
    for c, r in ((16, 1), (64, 3), (1, 2), (4096, 0)):
        yield Case(
            f"static_one__{c}_{r}", 1, None, [c, 7, SOURCE.integers(-9, 9, 7), np.zeros(c, int), r], static_one_expects
        )
    yield Case("register", 1, None, [SOURCE.integers(0, 9, 16), np.zeros(16, int), 3, -2, 5], register_expects)
    yield Case("été", 1, None, [normal(8), np.zeros(8), 2.25], summer_expects)
    yield Case("shadow", 1, None, [normal(4), 3, 4], shadow_expects)
    yield Case("consts", 1, None, [np.zeros(12)], consts_expects)
