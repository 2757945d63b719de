"""Tile kernels that fold and scan: in loops, in branches, of what other folds and scans gave."""

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


@tile.kernel
def runs_1024(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.program_id() * 1024 + tile.arange(1024)
    v = tile.load(x, lane)
    tile.store(y, lane, tile.cumsum(v * v) * 2.0 + tile.cummax(v))


@tile.kernel
def runs_1(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(1)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_2(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(2)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_32(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(32)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_64(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(64)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_128(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(128)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_2048(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(2048)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_8192(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(8192)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def runs_65536(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(65536)
    tile.store(y, lane, tile.cumsum(tile.load(x, lane)))


@tile.kernel
def kinds(
    f: native.const_ptr[float],
    i: native.const_ptr[native.i32],
    b: native.const_ptr[bool],
    sums: native.ptr[int],
    most: native.ptr[native.i32],
    floats: native.ptr[float],
    seen: native.ptr[bool],
) -> None:
    lane = tile.arange(4096)
    few = tile.arange(16)
    v = tile.load(f, lane)
    n = tile.load(i, lane)
    tile.store(floats, lane, tile.cummax(v))
    tile.store(floats, 4096 + few, tile.cumsum(tile.load(f, few + 3)) / tile.sum(v))
    tile.store(sums, lane, tile.cumsum(n))
    tile.store(sums, 4096 + lane, tile.cumsum(tile.load(b, lane)))
    tile.store(most, lane, tile.cummax(n))
    tile.store(seen, lane, tile.cummax(tile.load(b, lane)))


@tile.kernel
def scans_in_turns(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    lane = tile.arange(512)
    at = tile.arange(64)
    v = tile.load(x, lane, lane < n, other=0.5)
    small = tile.load(x, at)
    for k in range(4):
        if tile.sum(v) > 0:
            v = tile.cumsum(v) / tile.max(v)
            small = tile.cummax(small) * 0.5 - k
        else:
            v = tile.cumsum(tile.cummax(v)) + tile.mean(small)
        small = tile.cumsum(small)
        if k == n:
            break
        tile.store(y, lane, v)
        v = v - tile.load(y, 511 - lane)
    tile.store(y, lane, v)
    tile.store(y, 512 + at, small)


@tile.kernel
def compact(x: native.const_ptr[native.i32], y: native.ptr[native.i32], count: native.ptr[int]) -> None:
    lane = tile.arange(256)
    v = tile.load(x, lane)
    keep = v % 3 == 0
    place = tile.cumsum(keep) - 1
    tile.store(y, place, v, keep)
    tile.store(count, 0, tile.sum(keep))
