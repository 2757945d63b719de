from __future__ import annotations

import math

from transpile import cuda, native, tile


@cuda.device
def wave(x: float, phase: float) -> float:
    if x > 100.0:
        return 0.0
    return math.sin(x + phase) * native.gelu(x)


@tile.kernel
def tiles(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    l = tile.arange(256)
    a = tile.load(x, l, mask=l < n)
    both = tile.sin(a) * tile.cos(a)
    tile.store(out, l, both)
    if n > 100:
        both = tile.cos(both)
    for _ in range(3):
        a = tile.sin(a) + a
    tile.store(out, l + 256, both)
    tile.store(out, l + 512, a)
    tile.store(out, l + 768, tile.map(wave, a, 0.5), mask=l < n)


@tile.kernel
def tiles32(x: native.const_ptr[native.f32], out: native.ptr[native.f32]) -> None:
    l = tile.arange(256)
    a = tile.load(x, l)
    tile.store(out, l, tile.sin(a))
    tile.store(out, l + 256, tile.cos(a * 3.0) + 1.0)
    tile.store(out, l + 512, tile.tanh(a) - tile.erf(a))
    tile.store(out, l + 768, tile.gelu(a) * tile.gelu_tanh(a) + a)
    tile.store(out, l + 1024, tile.sin(l))
    tile.store(out, l + 1280, tile.cos(tile.load(x, 7)) * tile.sum(tile.sin(a)))


@cuda.kernel
def threads(x: native.const_ptr[native.f32], wide: native.ptr[float], out: native.ptr[native.f32]) -> None:
    i = cuda.global_id()
    a = native.load(native.offset(x, i))
    native.store(native.offset(wide, i), wave(a, 0.25) + math.cos(i))
    native.store(native.offset(out, i), native.sin(a) + math.tanh(a))
    native.store(native.offset(out, i + 256), math.erf(a) * native.gelu_tanh(a) + native.cos(a))
