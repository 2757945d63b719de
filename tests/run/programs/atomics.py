"""Atomics of both dialects, on every type that has them: what they leave behind does not depend on their order."""

from transpile import cuda, native, tile


@cuda.kernel
def count(n: int, x: native.const_ptr[native.i32], hist: native.ptr[native.i32], wide: native.ptr[int]) -> None:
    parked = cuda.shared[native.i32, 16]()
    i = cuda.global_id()
    t = cuda.thread_id()
    if t < 16:
        native.store(native.offset(parked, t), 0)
    cuda.syncthreads()
    if i < n:
        v = int(native.load(native.offset(x, i)))
        cuda.atomic_add(native.offset(parked, v % 16), 1)
        cuda.atomic_add(native.offset(wide, v % 3), v * 3_000_000_000)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic_add(native.offset(hist, t), native.load(native.offset(parked, t)))


@cuda.kernel
def tickets(n: int, taken: native.ptr[native.i32], order: native.ptr[native.i32], last: native.ptr[int]) -> None:
    """Every thread takes a ticket; the last block to come sees that it is."""
    is_last = cuda.shared[bool, 1]()
    i = cuda.global_id()
    if i < n:
        mine = cuda.atomic_add(taken, 1)
        native.store(native.offset(order, mine), mine + 1)
    cuda.syncthreads()
    if cuda.thread_id() == 0:
        native.store(is_last, cuda.atomic_add(last, 1) == cuda.grid_dim() - 1)
    cuda.syncthreads()
    if native.load(is_last):
        if cuda.thread_id() == 0:
            cuda.atomic_exch(native.offset(last, 1), cuda.grid_dim() * 10)
            cuda.atomic_cas(native.offset(last, 2), 7, 8)
            before = cuda.atomic_cas(native.offset(last, 2), 5, 6)
            native.store(native.offset(last, 3), before)


@cuda.kernel
def ends(
    x: native.const_ptr[float],
    f: native.ptr[float],
    g: native.ptr[native.f32],
    i: native.ptr[native.i32],
    k: native.ptr[int],
) -> None:
    parked = cuda.shared[native.f32, 2]()
    t = cuda.thread_id()
    if t < 2:
        native.store(native.offset(parked, t), 0.0)
    cuda.syncthreads()
    v = native.load(native.offset(x, cuda.global_id()))
    cuda.atomic_max(f, v)
    cuda.atomic_min(native.offset(f, 1), v)
    cuda.atomic_max(parked, v)
    cuda.atomic_min(native.offset(parked, 1), v)
    whole = int(v * 1000.0) if -1e6 < v < 1e6 else 0
    cuda.atomic_max(i, whole)
    cuda.atomic_min(native.offset(i, 1), whole)
    cuda.atomic_max(k, whole * 10_000_000_000)
    cuda.atomic_min(native.offset(k, 1), whole * 10_000_000_000)
    cuda.syncthreads()
    if t < 2:
        part = native.load(native.offset(parked, t))
        if t == 0:
            cuda.atomic_max(g, part)
        else:
            cuda.atomic_min(native.offset(g, 1), part)


@cuda.kernel
def bits(x: native.const_ptr[native.i32], small: native.ptr[native.i32], wide: native.ptr[int]) -> None:
    v = int(native.load(native.offset(x, cuda.global_id())))
    cuda.atomic_and(small, v)
    cuda.atomic_or(native.offset(small, 1), v)
    cuda.atomic_xor(native.offset(small, 2), v)
    cuda.atomic_and(wide, v * 0x1_0000_0001)
    cuda.atomic_or(native.offset(wide, 1), v * 0x1_0000_0001)
    cuda.atomic_xor(native.offset(wide, 2), v * 0x1_0000_0001)


@cuda.kernel
def alone(f: native.ptr[float], g: native.ptr[native.f32], out: native.ptr[float]) -> None:
    """No two threads meet, so that what each one finds is known."""
    i = cuda.global_id()
    here, there = native.offset(f, i), native.offset(g, i)
    a = cuda.atomic_add(here, 0.1)
    b = cuda.atomic_exch(here, a * 3.0)
    c = cuda.atomic_cas(here, a * 3.0, -0.0)
    d = cuda.atomic_cas(here, 0.0, 5.0)
    e = cuda.atomic_add(there, 0.1)
    e = e + cuda.atomic_exch(there, a)
    e = e + cuda.atomic_cas(there, native.cast(a, native.f32), 1.5)
    if i % 2 == 0:
        e = e + cuda.atomic_min(there, 0.5)
    slot = native.offset(out, i * 5)
    native.store(slot, a)
    native.store(native.offset(slot, 1), b)
    native.store(native.offset(slot, 2), c)
    native.store(native.offset(slot, 3), d)
    native.store(native.offset(slot, 4), e)


@tile.kernel
def tile_count(
    n: int,
    x: native.const_ptr[native.i32],
    hist: native.ptr[native.i32],
    f: native.ptr[float],
    seen: native.ptr[int],
) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    ok = at < n
    v = tile.load(x, at, ok)
    tile.atomic_add(hist, v % 16, 1, ok)
    tile.atomic_max(f, v % 4, v * 0.5, ok)
    mine = tile.atomic_add(seen, 0, tile.sum(ok))
    tile.store(seen, 1 + mine + tile.arange(256), mine + tile.arange(256), tile.arange(256) < tile.sum(ok))


@tile.kernel
def tile_alone(f: native.ptr[float], g: native.ptr[native.i32], out: native.ptr[float]) -> None:
    pid = tile.program_id()
    wide = pid * 512 + tile.arange(512)
    few = tile.arange(8)
    a = tile.atomic_exch(f, wide, wide * 0.5)
    tile.store(out, wide, a)
    b = tile.atomic_add(g, pid * 8 + few, few * few, few != 3)
    tile.atomic_xor(g, pid * 8 + (few ^ 1), 255)
    c = tile.atomic_cas(g, pid * 8 + few, 254 - few % 2, -1)
    for k in range(3):
        tile.atomic_add(g, pid * 8 + few // 4 * 4, 1 << few)
        c = c + tile.load(g, pid * 8 + few)
    d = tile.atomic_min(f, pid * 512, -7.5)
    e = tile.atomic_cas(f, pid * 512 + 1, 0.5 + pid * 256, 99.0, pid != 1)
    tile.store(out, pid * 512 + few, b * 1000.0 + c + d + e)


@cuda.kernel
def tallies(x: native.const_ptr[native.i32], total: native.ptr[int]) -> None:
    """In loops, under conditions that differ, after early returns; what is found is used, or not."""
    t = cuda.thread_id()
    v = native.load(native.offset(x, cuda.global_id()))
    k = 0
    while k < v % 7:
        if cuda.atomic_add(native.offset(total, t % 4), k) > 1_000_000:
            break
        k += 1
    if v % 5 == 0:
        return
    found = cuda.atomic_or(native.offset(total, 4), 1 << (v % 31))
    cuda.atomic_add(native.offset(total, 5 if found >= 0 else 6), 1)
    for j in range(3):
        cuda.atomic_max(native.offset(total, 7), v * j)


@cuda.kernel
def unsigned(x: native.const_ptr[native.u32], small: native.ptr[native.u32], wide: native.ptr[native.u64]) -> None:
    parked = cuda.shared[native.u64, 2, 3]()
    t = cuda.thread_id()
    if t < 6:
        native.store(native.offset(parked, t // 3, t % 3), 0)
    cuda.syncthreads()
    v = native.load(native.offset(x, cuda.global_id()))
    big = native.cast(v, native.u64) * 0x1_0000_0003
    cuda.atomic_add(small, v)
    cuda.atomic_max(native.offset(small, 1), v)
    cuda.atomic_min(native.offset(small, 2), v)
    cuda.atomic_and(native.offset(small, 3), v | 1)
    cuda.atomic_or(native.offset(small, 4), v)
    cuda.atomic_xor(native.offset(small, 5), v)
    cuda.atomic_add(native.offset(parked, 0, 0), big)
    cuda.atomic_max(native.offset(parked, 0, 1), big)
    cuda.atomic_or(native.offset(parked, 1, 2), big)
    cuda.atomic_min(native.offset(wide, 3), big)
    cuda.atomic_and(native.offset(wide, 4), big | 8)
    cuda.atomic_xor(native.offset(wide, 5), big)
    cuda.atomic_cas(native.offset(wide, 6), 17, 18)
    cuda.syncthreads()
    if t == 0:
        cuda.atomic_add(wide, native.load(parked))
        cuda.atomic_max(native.offset(wide, 1), native.load(native.offset(parked, 0, 1)))
        cuda.atomic_or(native.offset(wide, 2), native.load(native.offset(parked, 1, 2)))
        cuda.atomic_exch(native.offset(small, 6), 4_000_000_000)
