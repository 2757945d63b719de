"""Numbers: rounding, what must not be contracted or simplified, conversions, constants, static parameters, names."""

import math
from math import floor, inf
from math import sqrt as root

from transpile import cuda, native, tile
from transpile.tile import arange

THIRD = 1 / 3
NEG0 = -0.0
A, B = 3, 4.5
WIDTH: int = 32
N2 = WIDTH**2 // 8
FLAG = not (WIDTH > 3 and False)
INFC = float("inf")


@cuda.device
def mulf(a: native.f32, b: native.f32) -> native.f32:
    return a * b


@cuda.device
def mul(a: float, b: float) -> float:
    return a * b


@tile.kernel
def contract(
    a: native.const_ptr[float], b: native.const_ptr[float], c: native.const_ptr[float], y: native.ptr[float]
) -> None:
    l = tile.arange(64)
    x = tile.load(a, l)
    w = tile.load(b, l)
    z = tile.load(c, l)
    tile.store(y, l, x * w + z)
    tile.store(y, l + 64, z - x * w)
    tile.store(y, l + 128, -(x * w) - z)
    tile.store(y, l + 192, x * w + z * x)
    tile.store(y, l + 256, x**3 + z)
    tile.store(y, l + 320, x**2 - w * w)
    p = x * w
    tile.store(y, l + 384, p)
    tile.store(y, l + 448, p - x * w + z)
    tile.store(y, l + 512, tile.where(x > 0, p, z) + w)
    tile.store(y, l + 576, mul(x, w) + z)
    tile.store(y, l + 640, tile.maximum(x * w, z * w) + z)
    tile.store(y, l + 704, abs(x * w) - z)
    s = z
    for k in range(5):
        s = s + x * w
        s = s * w - x
    tile.store(y, l + 768, s)
    tile.store(y, 832, tile.sum(x * w))
    tile.store(y, 833, tile.sum(x * w + z) + tile.sum(x) * tile.sum(w))
    q = tile.load(a, 0) * tile.load(b, 0)
    tile.store(y, 834, q + tile.load(c, 0))
    tile.store(y, 835, tile.load(c, 1) - tile.load(a, 1) * 3.1)


@tile.kernel
def contract32(
    a: native.const_ptr[native.f32],
    b: native.const_ptr[native.f32],
    c: native.const_ptr[native.f32],
    y: native.ptr[native.f32],
) -> None:
    l = tile.arange(64)
    x = tile.load(a, l)
    w = tile.load(b, l)
    z = tile.load(c, l)
    tile.store(y, l, x * w + z)
    tile.store(y, l + 64, z - x * w)
    tile.store(y, l + 128, -(x * w) - z)
    tile.store(y, l + 192, x * w + z * x)
    tile.store(y, l + 256, x**3 + z)
    tile.store(y, l + 320, x**2 - w * w)
    p = x * w
    tile.store(y, l + 384, p)
    tile.store(y, l + 448, p - x * w + z)
    tile.store(y, l + 512, tile.where(x > 0, p, z) + w)
    tile.store(y, l + 576, mulf(x, w) + z)
    tile.store(y, l + 640, tile.maximum(x * w, z * w) + z)
    tile.store(y, l + 704, abs(x * w) - z)
    s = z
    for k in range(5):
        s = s + x * w
        s = s * w - x
    tile.store(y, l + 768, s)
    tile.store(y, 832, tile.sum(x * w))
    tile.store(y, 833, tile.sum(x * w + z) + tile.sum(x) * tile.sum(w))
    q = tile.load(a, 0) * tile.load(b, 0)
    tile.store(y, 834, q + tile.load(c, 0))
    tile.store(y, 835, tile.load(c, 1) - tile.load(a, 1) * 3.1)


@cuda.kernel
def contract_t(
    a: native.const_ptr[float], b: native.const_ptr[float], c: native.const_ptr[float], y: native.ptr[float], n: int
) -> None:
    i = cuda.global_id()
    x = native.load(native.offset(a, i))
    w = native.load(native.offset(b, i))
    z = native.load(native.offset(c, i))
    acc = 0.0
    k = 0
    while acc < 1e9 and k < n:
        acc = acc + x * w
        acc -= mul(w, z) if k % 2 else z * x
        k += 1
    t = x * w
    if i % 2:
        t = t + z
    else:
        t -= z * w
    native.store(native.offset(y, i), acc * t + z)
    native.store(native.offset(y, i + 64), cuda.shfl_xor(x * w, 1) + z)


@tile.kernel
def algebra(a: native.const_ptr[float], y: native.ptr[float], u: float) -> None:
    l = tile.arange(32)
    x = tile.load(a, l)
    tile.store(y, l, x * 0.0)
    tile.store(y, l + 32, x - x)
    tile.store(y, l + 64, x + 0.0)
    tile.store(y, l + 96, 0.0 - x)
    tile.store(y, l + 128, -x)
    tile.store(y, l + 160, x / x)
    tile.store(y, l + 192, x * 1.0 + NEG0)
    tile.store(y, l + 224, x / 3.0)
    tile.store(y, l + 256, x / 4.0)
    tile.store(y, l + 288, x / u)
    tile.store(y, l + 320, u / x)
    tile.store(y, l + 352, x // 1.0)
    tile.store(y, l + 384, x % 1.0)
    tile.store(y, l + 416, tile.where(x == x, x, -7.0))
    tile.store(y, l + 448, tile.where(x != x, 1.0, 0.0))
    tile.store(y, l + 480, tile.where(~(x < 1.0), 1.0, 0.0))
    tile.store(y, l + 512, tile.where((x > 0.0) ^ (x < 1e300), x * -1.0, +x))
    tile.store(y, l + 544, tile.sqrt(x))
    tile.store(y, l + 576, tile.round(x) + tile.floor(x) * 1.0)
    tile.store(y, l + 608, tile.ceil(x))
    tile.store(y, l + 640, x * 0)
    tile.store(y, l + 672, x**0)
    tile.store(y, l + 704, x**1)
    tile.store(y, l + 736, x * THIRD)
    tile.store(y, l + 768, x % -INFC)
    tile.store(y, l + 800, x // INFC)


@tile.kernel
def algebra32(a: native.const_ptr[native.f32], y: native.ptr[native.f32], u: float, v: native.f32) -> None:
    l = tile.arange(32)
    x = tile.load(a, l)
    tile.store(y, l, x / u)
    tile.store(y, l + 32, x / v)
    tile.store(y, l + 64, x * u / v)
    tile.store(y, l + 96, u / x)
    tile.store(y, l + 128, x // u)
    tile.store(y, l + 160, x % v)
    tile.store(y, l + 192, tile.sqrt(x))
    tile.store(y, l + 224, x * 1e-40)
    tile.store(y, l + 256, x * 1e300)
    tile.store(y, l + 288, tile.fma(x, u, v))
    tile.store(y, l + 320, x / 7)
    tile.store(y, l + 352, x * u * 0.1)
    tile.store(y, l + 384, x * (u * 0.1))


@tile.kernel
def conv(
    i: native.const_ptr[int],
    f: native.const_ptr[float],
    y: native.ptr[native.f32],
    z: native.ptr[native.i32],
    q: native.ptr[float],
    bb: native.ptr[bool],
    w: native.ptr[int],
) -> None:
    l = tile.arange(32)
    iv = tile.load(i, l)
    fv = tile.load(f, l)
    tile.store(y, l, tile.cast(iv, native.f32))
    tile.store(y, l + 32, iv * tile.cast(1.0, native.f32))
    tile.store(y, l + 64, fv)
    tile.store(y, l + 96, tile.cast(fv, native.f32) + iv)
    tile.store(z, l, iv)
    tile.store(z, l + 32, tile.cast(fv, native.i32))
    tile.store(z, l + 64, tile.cast(tile.cast(fv, native.f32), native.i32))
    tile.store(z, l + 96, tile.cast(iv > 3, native.i32) + tile.cast(iv, native.i32))
    tile.store(q, l, tile.where(iv == fv, 1.0, 0.0) + tile.where(iv < fv, 2.0, 0.0))
    tile.store(q, l + 32, iv + fv)
    tile.store(q, l + 64, iv / 3)
    tile.store(q, l + 96, iv // 2.5)
    tile.store(bb, l, tile.cast(fv, bool))
    tile.store(bb, l + 32, tile.cast(iv, bool) & (fv >= iv))
    tile.store(w, l, tile.cast(fv, int))
    tile.store(w, l + 32, tile.cast(tile.cast(fv, native.f32), int))
    tile.store(w, l + 64, tile.cast(tile.cast(fv, bool), int) - tile.cast(iv, native.i32))


@tile.kernel
def flow(n: int, m: bool, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(128)
    v = tile.load(x, l)
    if m:
        t = v * 2
        s = tile.sum(t)
    elif n > 5:
        t = tile.load(x, 127 - l)
        s = 1
    else:
        t = v
        s = tile.max(v)
        if n < 0:
            tile.store(y, l, 5.0)
            return
    r = t if s > n else v + 1
    u = (v if n == 2 else t) + (tile.sum(v) if n else 3)
    k = 0
    while tile.sum(r) < 100 and (k < n or m) and not tile.all(r > 5):
        r = r * 1.5 + 1
        k += 1
        tile.store(y, l + 128, r, (l < k) & m)
        if tile.any(r > 1000):
            break
    tile.store(y, l, r + u)
    tile.store(y, 256, k)
    tile.store(y, l + 257, 4, l > 100)
    tile.store(y, l + 385, v, m)
    tile.store(y, l + 513, tile.load(x, l, m, -1.5))
    tile.store(y, l + 641, tile.where(m, v, 2.0))
    tile.store(y, l + 769, tile.fma(v, 2.0, s))


@tile.kernel
def static_one(
    cols: native.static[int], n: int, x: native.const_ptr[int], y: native.ptr[int], rep: native.static[int]
) -> None:
    l = tile.arange(cols)
    a = tile.load(x, l % n)
    for k in range(rep):
        a = a * 3 + k
    if cols > 32:
        a = a + tile.sum(tile.load(x, tile.arange(cols // 2) % n))
    tile.store(y, l, a**2 % (cols * rep + 1))


@tile.kernel
def register(float: native.const_ptr[int], blockDim: native.ptr[int], double: int, M_PI: int, __shared__: int) -> None:
    threadIdx = tile.arange(16)
    NULL = tile.load(float, threadIdx)
    INT_MAX = NULL + double
    min_ = INT_MAX * M_PI - __shared__
    uint32_t = min_
    for asm in range(3):
        uint32_t = uint32_t + asm
        new, delete = asm, uint32_t
    std = tile.sum(uint32_t)
    errno = std + new
    tile.store(blockDim, threadIdx, delete + errno)


@tile.kernel
def été(größe: native.const_ptr[float], Δ: native.ptr[float], 变量: float) -> None:
    λ = tile.arange(8)
    _u03bb = tile.load(größe, λ)
    u_03bb = _u03bb * 变量
    naïve = u_03bb + 1
    tile.store(Δ, λ, naïve - _u03bb)


@tile.kernel
def shadow(program_id: native.ptr[float], tile_: int, launch: int) -> None:
    load = tile.arange(4)
    store = tile.load(program_id, load)
    sum = tile.sum(store)
    max = sum + tile_
    abs = max * launch
    for range_ in range(3):
        abs = abs + range_
    tile.store(program_id, load, store + abs)


@tile.kernel
def consts(y: native.ptr[float]) -> None:
    l = arange(4)
    tile.store(y, l, A * l + B + N2)
    tile.store(y, l + 4, THIRD * 3 + root(2) + floor(2.7) + FLAG)
    tile.store(y, l + 8, tile.where(l > 1, inf, -INFC))
