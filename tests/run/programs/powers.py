from __future__ import annotations

import math

from transpile import cuda, native, tile

HALF = 0.5


@cuda.device
def powered(x: float, y: float) -> float:
    return x**y if y != 2.0 else pow(x, 2)


@tile.kernel
def tiles(n: int, p: float, x: native.const_ptr[float], y: native.const_ptr[float], out: native.ptr[float]) -> None:
    l = tile.arange(256)
    a = tile.load(x, l)
    b = tile.load(y, l)
    tile.store(out, l, a**b)
    tile.store(out, l + 256, tile.pow(a, b))
    tile.store(out, l + 512, pow(a, n))
    tile.store(out, l + 768, a**p)
    tile.store(out, l + 1024, 16.0**b)
    tile.store(out, l + 1280, (l * l) ** HALF)
    tile.store(out, l + 1536, (1 << (l % 16 * 2)) ** -1.5)
    tile.store(out, l + 1792, (1 << (l % 50)) ** -1)
    a **= b
    tile.store(out, l + 2048, a)
    tile.store(out, l + 2304, tile.map(powered, tile.load(x, l), b))


@tile.kernel
def tiles32(
    n: int,
    p: float,
    s: native.f32,
    x: native.const_ptr[native.f32],
    y: native.const_ptr[native.f32],
    out: native.ptr[native.f32],
) -> None:
    l = tile.arange(256)
    a = tile.load(x, l)
    b = tile.load(y, l)
    tile.store(out, l, a**b)
    tile.store(out, l + 256, pow(a, n))
    tile.store(out, l + 512, a**p)
    tile.store(out, l + 768, s**b)
    tile.store(out, l + 1024, 4**b)
    tile.store(out, l + 1280, a**-2)
    tile.store(out, l + 1536, (a * a) ** 0.5)


@cuda.kernel
def threads(
    n: int,
    x: native.const_ptr[float],
    y: native.const_ptr[native.f32],
    wide: native.ptr[float],
    out: native.ptr[native.f32],
) -> None:
    i = cuda.global_id()
    a = native.load(native.offset(x, i))
    b = native.load(native.offset(y, i))
    native.store(native.offset(wide, i), powered(a, b))
    native.store(native.offset(wide, i + 256), math.pow(i, 2) + native.pow(n, -1))
    native.store(native.offset(wide, i + 512), a**2 + i**2)
    native.store(native.offset(out, i), b**0.5)
    native.store(native.offset(out, i + 256), b**n)
