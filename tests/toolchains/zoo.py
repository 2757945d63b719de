"""Kernels of many shapes, for compilers to complain about. None divides (on AMD integers too are divided by float
arithmetic) but by powers of two: what is left of float arithmetic is sums and products, which no compiler may fuse."""

from transpile import cuda, native, tile

SCALE = 0.1
LIMIT = 7


@cuda.device
def blend(a: float, b: float, t: float) -> float:
    return a * t + b * (1.0 - t)


@cuda.device
def narrow_blend(a: native.f32, b: native.f32) -> native.f32:
    c = a * b
    if c > a:
        return c + b
    return a - c


@cuda.device
def collatz(n: int, most: int) -> int:
    count = 0
    while n > 1 and count < most:
        if n & 1 == 0:
            n = n >> 1
        else:
            n = 3 * n
            n += 1
        count += 1
    return count


@tile.kernel
def axpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    ok = at < n
    tile.store(y, at, a * tile.load(x, at, ok) + tile.load(y, at, ok), ok)


@tile.kernel
def narrow_axpy(n: int, a: float, x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    at = tile.program_id() * 128 + tile.arange(128)
    ok = at < n
    xs = tile.load(x, at, ok)
    tile.store(y, at, xs * xs - a * xs + SCALE, ok)


@tile.kernel
def horner(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    at = tile.program_id() * 64 + tile.arange(64)
    xs = tile.load(x, at)
    total = xs * 0.0
    for k in range(LIMIT):
        total = total * xs + k
    tile.store(y, at, -(total * total) + total)


@tile.kernel
def moments(n: int, x: native.const_ptr[float], out: native.ptr[float], count: native.ptr[int]) -> None:
    pid = tile.program_id()
    at = pid * 1024 + tile.arange(1024)
    ok = at < n
    xs = tile.load(x, at, ok)
    total = tile.sum(xs)
    high = tile.max(xs * 2.0 + total)
    spread = tile.sum(tile.where(ok, (xs - total) * (xs - total), 0.0))
    tile.store(out, pid * 3, total)
    tile.store(out, pid * 3 + 1, spread + high * total)
    tile.store(out, pid * 3 + 2, tile.nanmin(xs))
    if tile.any(xs > 3.0) and tile.all(ok):
        tile.store(count, pid, tile.sum(ok))
    else:
        tile.store(count, pid, -1)


@tile.kernel
def mapped(t: float, x: native.const_ptr[float], y: native.ptr[float], k: native.ptr[native.i32]) -> None:
    lane = tile.arange(32)
    xs = tile.load(x, lane)
    tile.store(y, lane, blend(xs, xs * xs, t))
    ks = tile.load(k, lane)
    tile.store(k, lane, tile.cast(collatz(ks, 50), native.i32) ^ (ks << 2) | ~ks)


@tile.kernel
def sized(cols: native.static[int], x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    xs = tile.load(x, at)
    tile.store(y, at, narrow_blend(xs, tile.max(xs)) * tile.sum(xs) + xs)


@cuda.kernel
def thread_axpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    if i >= n:
        return
    slot = native.offset(y, i)
    native.store(slot, a * native.load(native.offset(x, i)) + native.load(slot))


@cuda.kernel
def exchange(x: native.const_ptr[float], out: native.ptr[float], ints: native.ptr[int]) -> None:
    parked = cuda.shared[float, 64]()
    mine = native.stack_alloc[float](4)
    t = cuda.thread_id()
    i = cuda.global_id()
    v = native.load(native.offset(x, i))
    native.store(native.offset(parked, t), v * v + 1.0)
    cuda.syncthreads()
    step = 16
    while step > 0:
        v = v * 0.5 + cuda.shfl_xor(v, step)
        step = step // 2
    for k in range(4):
        native.store(native.offset(mine, k), v * k + native.load(native.offset(parked, (t + k) % 64)))
    total = 0.0
    for k in range(3, -1, -1):
        if k == 2:
            continue
        total += native.load(native.offset(mine, k)) * v
    if cuda.thread_id() < 32:
        total = total + cuda.shfl_down(total, 1)
    cuda.syncwarp()
    native.store(native.offset(out, i), blend(total, v, 0.25))
    low = native.load(native.offset(ints, i))
    native.store(native.offset(ints, i), collatz(low, 100) * 3 + low if 0 < low < 1000 else low & 7)


def run(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    blocks = (n + 255) // 256
    tile.launch(axpy, blocks, n, a, x, y)
    cuda.launch(thread_axpy, blocks, 256, n, a, x, y)


def run_sized(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    tile.launch(sized, 2, 64, x, y)
    tile.launch(sized, (1, 2), 512, x, y)


@tile.kernel
def narrowed(
    n: native.u64,
    x: native.const_ptr[native.f16],
    y: native.ptr[native.bf16],
    z: native.ptr[native.f8e4m3],
    w: native.ptr[native.f8e5m2],
    u: native.ptr[native.u32],
) -> None:
    at = tile.program_id() * 128 + tile.arange(128)
    xs = tile.load(x, at)
    tile.store(y, at, xs * xs + tile.load(z, at))
    tile.store(w, at, tile.cast(xs, float) * SCALE)
    tile.store(z, at, tile.load(w, at))
    tile.store(u, at, tile.cast(tile.load(y, at), native.u32) * 3 + tile.cast(n >> 3, native.u32))


@cuda.kernel
def passed(
    one: native.f16, n: native.u64, x: native.ptr[native.i8], y: native.ptr[native.f8e4m3], z: native.ptr[native.bf16]
) -> None:
    parked = cuda.shared[native.bf16, 64]()
    i = cuda.global_id()
    native.store(native.offset(parked, cuda.thread_id()), n)
    cuda.syncthreads()
    other = cuda.shfl_xor(native.load(native.offset(parked, 63 - cuda.thread_id())), 1)
    native.store(native.offset(z, i), other)
    byte = cuda.shfl(native.load(native.offset(x, i)), 3)
    native.store(native.offset(x, i), byte + native.cast(other, native.i8))
    native.store(native.offset(y, i), one if byte > 3 else native.cast(n, native.f16))
    native.store(native.offset(x, 2 * i), (byte, cuda.shfl_up(byte, 1)))
