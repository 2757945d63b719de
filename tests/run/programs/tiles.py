"""Tile kernels: sizes from 1 to 65,536 lanes, memory, folds, scalars, device functions, loops that carry tiles."""

import math

from transpile import cuda, native, tile

EPS = 1e-3
BIG = 2**40
TABLE = 3 * 7 - 1


@cuda.device
def clampf(x: float, lo: float, hi: float) -> float:
    if x < lo:
        return lo
    if x > hi:
        return hi
    return x


@cuda.device
def collatz(n: int) -> int:
    k = 0
    while n != 1 and k < 200:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        k += 1
    return k


@cuda.device
def early(x: native.f32, n: int) -> native.f32:
    for i in range(n):
        if x > 100:
            return x
        x = x * 1.5 + i
    return -x


@tile.kernel
def one_lane(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(1)
    v = tile.load(x, l + tile.program_id())
    tile.store(y, l + tile.program_id(), v * tile.sum(v) + tile.max(v))


@tile.kernel
def tiny(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(2)
    v = tile.load(x, l + 2 * tile.program_id())
    tile.store(y, l + 2 * tile.program_id(), v - tile.sum(v) / 2)


@tile.kernel
def huge(x: native.const_ptr[native.f32], y: native.ptr[native.f32], s: native.ptr[native.f32]) -> None:
    l = tile.arange(65536)
    v = tile.load(x, l)
    w = tile.where(v > 0, v, -v * 0.5)
    for k in range(3):
        w = w * 0.5 + tile.load(x, 65535 - l)
    tile.store(y, l, w)
    tile.store(s, 0, tile.sum(w))
    tile.store(s, 1, tile.max(w))


@tile.kernel
def sizes(x: native.const_ptr[int], y: native.ptr[int]) -> None:
    a = tile.sum(tile.load(x, tile.arange(4)))
    b = tile.max(tile.load(x, tile.arange(16)))
    c = tile.min(tile.load(x, tile.arange(128)))
    d = tile.load(x, tile.arange(8))
    tile.store(y, tile.arange(8), d * a + b - c)
    e = tile.arange(512) % 7
    tile.store(y, tile.arange(512) + 8, e * a + b // (c + 1))


@tile.kernel
def carry(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(64)
    a = tile.load(x, l)
    b = tile.load(x, l + 64)
    p = native.offset(x, 0)
    k = 0
    while k < n:
        a, b = b, a + b
        p = native.offset(p, 1)
        if k % 3 == 2:
            a = a + tile.load(p, l)
            k += 2
            continue
        if tile.sum(a) > 1e6:
            break
        k += 1
    tile.store(y, l, a)
    tile.store(y, l + 64, b)
    tile.store(y, 128, k)


@tile.kernel
def ret(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(32)
    v = tile.load(x, l)
    for i in range(n):
        if tile.max(v) > 50.0:
            tile.store(y, l, v)
            return
        for j in range(i):
            v = v * 1.25
            if j > 2:
                return
    tile.store(y, l, -v)


@tile.kernel
def sh(n: int, x: native.ptr[int], y: native.ptr[int]) -> None:
    l = tile.arange(64)
    tile.store(x, l, l * n)
    a = tile.load(x, l + 1)
    tile.store(x, l + 1, a + 1)
    b = tile.load(x, 63 - l)
    tile.store(y, l, a * 1000 + b)


@tile.kernel
def dup(x: native.ptr[int]) -> None:
    l = tile.arange(256)
    tile.store(x, l // 64, l * 0 + 7)
    tile.store(x, l * 0 + 10, 5)
    tile.store(x, 20, tile.load(x, 3) + tile.load(x, 10))


@tile.kernel
def wild(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(128)
    m = (l >= 5) & (l < n)
    v = tile.load(x, tile.where(m, l, l * 4611686018427387904 + 9223372036854775807), m, 3)
    tile.store(y, tile.where(m, l, -(2**62)), v * 2, m)
    tile.store(y, 127, tile.sum(v))
    s = tile.load(x, 2**50, n > 1000, -1)
    tile.store(y, -(2**61), s, n > 1000)
    tile.store(y, 126, s)


@tile.kernel
def null(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(128)
    v = tile.load(x, l, l < n, math.pi)
    tile.store(y, l, v)


@tile.kernel(alias=True)
def aliased(x: native.const_ptr[float], y: native.ptr[float], z: native.ptr[float]) -> None:
    l = tile.arange(32)
    a = tile.load(x, l)
    tile.store(y, l, a + 1.0)
    b = tile.load(x, l + 1)
    tile.store(z, 31 - l, b * 2.0)
    c = tile.load(x, l)
    s = tile.load(x, 3)
    tile.store(y, 3, s + 1)
    s2 = tile.load(x, 3)
    tile.store(z, l + 32, a + b + c + s * s2)


@tile.kernel
def scalar_mut(x: native.ptr[float]) -> None:
    p = tile.program_id()
    s = tile.load(x, p)
    t = s
    tile.store(x, p, s + 1)
    u = tile.load(x, p)
    if u > s:
        tile.store(x, p, u * t)
    else:
        tile.store(x, p, -1.0)
    q = native.offset(x, p)
    tile.store(q, 0, tile.load(q, 0) + tile.load(x, p) + s)


@tile.kernel
def mixes(
    i: native.const_ptr[native.i32],
    f: native.const_ptr[native.f32],
    b: native.const_ptr[bool],
    o: native.ptr[float],
    oi: native.ptr[int],
    of: native.ptr[native.f32],
    o32: native.ptr[native.i32],
) -> None:
    l = tile.arange(32)
    iv = tile.load(i, l)
    fv = tile.load(f, l)
    bv = tile.load(b, l)
    tile.store(of, l, iv * fv + bv)
    tile.store(of, l + 32, fv * 0.1 + iv)
    tile.store(o, l, iv * 0.1 + bv)
    tile.store(o, l + 32, bv * 0.1)
    tile.store(o, l + 64, tile.where(bv, fv, 2))
    tile.store(oi, l, iv + 2147483647 * bv)
    tile.store(oi, l + 32, bv + bv + (iv > 0) * iv)
    tile.store(oi, l + 64, iv * l)
    tile.store(o32, l, iv * iv)
    tile.store(o32, l + 32, iv + 2147483647)
    tile.store(o32, l + 64, l * 4294967297 + iv)
    tile.store(o32, l + 96, tile.where(bv, iv, ~iv))
    tile.store(of, l + 64, iv / (l + 1))


@tile.kernel
def divs(a: native.const_ptr[float], b: native.const_ptr[float], o: native.ptr[float]) -> None:
    l = tile.arange(64) + tile.program_id() * 64
    x = tile.load(a, l)
    y = tile.load(b, l)
    tile.store(o, l, x // y)
    tile.store(o, l + 1024, x % y)
    tile.store(o, l + 2048, x / y)


@tile.kernel
def idivs(a: native.const_ptr[int], b: native.const_ptr[int], o: native.ptr[int]) -> None:
    l = tile.arange(64) + tile.program_id() * 64
    x = tile.load(a, l)
    y = tile.load(b, l)
    tile.store(o, l, x // y)
    tile.store(o, l + 1024, x % y)
    tile.store(o, l + 2048, x << y)
    tile.store(o, l + 3072, x >> y)
    tile.store(o, l + 4096, x // -8)
    tile.store(o, l + 5120, x % 8)
    tile.store(o, l + 6144, x % -8)
    tile.store(o, l + 7168, x**13)


@tile.kernel
def dev(x: native.const_ptr[float], y: native.ptr[float], z: native.ptr[native.f32], n: int) -> None:
    l = tile.arange(64)
    v = tile.load(x, l)
    tile.store(y, l, clampf(v, -1, 2.5))
    tile.store(y, l + 64, tile.map(collatz, l + 1))
    tile.store(z, l, early(tile.cast(v, native.f32), n))
    tile.store(y, 128, clampf(n, 0, 3))
    tile.store(y, 129, collatz(n))


@tile.kernel
def sw(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(16)
    a = tile.load(x, l)
    b = tile.load(x, l + 16)
    c = tile.load(x, l + 32)
    for i in range(n):
        a, b, c = c, a, b
        if i % 2:
            a, b = b, a
    x0 = y0 = a + c
    x0 += 1
    tile.store(y, l, a)
    tile.store(y, l + 16, b)
    tile.store(y, l + 32, c)
    tile.store(y, l + 48, x0 - y0)


@tile.kernel
def grid3(y: native.ptr[int]) -> None:
    a = tile.program_id(0)
    b = tile.program_id(axis=1)
    c = tile.program_id(2)
    n = tile.num_programs() * 100 + tile.num_programs(1) * 10 + tile.num_programs(axis=2)
    tile.store(y, a + tile.num_programs(0) * (b + tile.num_programs(1) * c), n * 1000 + a * 100 + b * 10 + c)


@tile.kernel
def anyall(x: native.const_ptr[int], y: native.ptr[int], z: native.ptr[bool]) -> None:
    l = tile.arange(256)
    v = tile.load(x, l + 256 * tile.program_id())
    p = tile.program_id()
    tile.store(z, 2 * p, tile.any(v > 5))
    tile.store(z, 2 * p + 1, tile.all(v < 9))
    tile.store(y, p, tile.sum(v > 3) + tile.max(tile.where(v > 3, v, -1)))
    if tile.any(v == 4) and not tile.all(v == 4):
        tile.store(y, p, 12345)


@tile.kernel
def nanred(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(32)
    p = tile.program_id()
    v = tile.load(x, l + 32 * p)
    tile.store(y, 8 * p, tile.max(v))
    tile.store(y, 8 * p + 1, tile.min(v))
    tile.store(y, 8 * p + 2, tile.nanmax(v))
    tile.store(y, 8 * p + 3, tile.nanmin(v))
    tile.store(y, 8 * p + 4, tile.sum(v))
    tile.store(y, 8 * p + 5, tile.max(tile.load(x, l, l < 0, -math.inf)))
    tile.store(y, 8 * p + 6, tile.max(tile.maximum(v, -0.0)))


@tile.kernel
def scal(n: int, a: float, q: bool, y: native.ptr[float], z: native.ptr[int]) -> None:
    tile.store(y, 0, a if q else n)
    tile.store(y, 1, round(a) + math.floor(a) * 10 + math.ceil(a) * 100 + int(a) * 1000)
    d, m = divmod(n, 7)
    tile.store(z, 0, d * 100 + m)
    d2, m2 = divmod(a, 0.7)
    tile.store(y, 2, d2)
    tile.store(y, 3, m2)
    tile.store(z, 1, abs(n) + min(n, 3, -2) * max(n, 1))
    tile.store(y, 4, max(a, n, 0.5))
    tile.store(y, 5, math.sqrt(abs(a)) + math.copysign(1, a) + math.fabs(a))
    tile.store(z, 2, math.isnan(a) + 2 * math.isinf(a) + 4 * math.isfinite(a))
    tile.store(z, 3, bool(a) + bool(n) * 2 + (not q) * 4)
    tile.store(z, 4, 0 < n < 10 <= n + 5 != 12)
    tile.store(y, 6, n / 3)
    tile.store(y, 7, n // 2 / 4 + a**3)
    tile.store(z, 5, n & 255 | 1 ^ n)
    tile.store(z, 6, -(n**2))
    tile.store(y, 8, float(n) + float(q))
    tile.store(z, 7, q & (n > 3) | ~q)
    tile.store(y, 9, BIG * EPS + TABLE)
