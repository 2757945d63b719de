"""Tile kernels that fold: products, means, variances, first lanes; in loops, in branches, of what other folds gave."""

from transpile import native, tile


@tile.kernel
def made_f32(x: native.const_ptr[native.f32], y: native.ptr[native.f32], at: native.ptr[int]) -> None:
    pid = tile.program_id()
    a = tile.load(x, pid * 1024 + tile.arange(1024))
    b = tile.load(x, pid * 16 + tile.arange(16))
    c = tile.load(x, pid + tile.arange(1))
    tile.store(y, pid * 8, tile.mean(a))
    tile.store(y, pid * 8 + 1, tile.var(a))
    tile.store(y, pid * 8 + 2, tile.var(b, correction=1))
    tile.store(y, pid * 8 + 3, tile.prod(b) + tile.prod(a * 0.001 + 1))
    tile.store(y, pid * 8 + 4, tile.mean(c))
    tile.store(y, pid * 8 + 5, tile.var(c))
    tile.store(y, pid * 8 + 6, tile.var(tile.load(x, tile.arange(8192)), 3))
    tile.store(at, pid * 4, tile.argmax(a))
    tile.store(at, pid * 4 + 1, tile.argmin(a))
    tile.store(at, pid * 4 + 2, tile.argmax(b))
    tile.store(at, pid * 4 + 3, tile.argmin(c))


@tile.kernel
def made_i32(x: native.const_ptr[native.i32], y: native.ptr[float], at: native.ptr[int]) -> None:
    a = tile.load(x, tile.program_id() * 128 + tile.arange(128))
    pid = tile.program_id()
    tile.store(y, pid * 2, tile.mean(a))
    tile.store(y, pid * 2 + 1, tile.var(a, correction=127))
    tile.store(at, pid * 3, tile.prod(a))
    tile.store(at, pid * 3 + 1, tile.argmax(a))
    tile.store(at, pid * 3 + 2, tile.argmin(a))


@tile.kernel
def made_bool(x: native.const_ptr[bool], y: native.ptr[float], at: native.ptr[int]) -> None:
    a = tile.load(x, tile.arange(2048))
    tile.store(y, 0, tile.mean(a))
    tile.store(y, 1, tile.var(a))
    tile.store(y, 2, tile.mean(a * 0.1))
    tile.store(at, 0, tile.prod(a))
    tile.store(at, 1, tile.argmax(a))
    tile.store(at, 2, tile.argmin(a))


@tile.kernel
def overflowing(x: native.const_ptr[int], y: native.ptr[float]) -> None:
    tile.store(y, 0, tile.mean(tile.load(x, tile.arange(64))))


@tile.kernel
def in_turns(n: int, x: native.const_ptr[float], y: native.ptr[float], at: native.ptr[int]) -> None:
    lane = tile.arange(256)
    v = tile.load(x, lane, lane < n, other=-1.0)
    best = -1
    for k in range(3):
        best = tile.argmax(v)
        if best % 2 == 0:
            v = tile.where(lane == best, tile.mean(v), v)
        else:
            v = v - tile.var(v) * tile.prod(tile.where(lane < 3, v, 1.0))
        tile.store(at, k, best)
        tile.store(y, k, tile.var(v) / tile.mean(v * v))
    tile.store(y, 3 + lane, v)
