"""Control flow: nested and carried loops, guards, device functions with many returns, augmented assignment, hazards."""

import math

from transpile import cuda, native, tile

LIM = 3


@cuda.device
def inner(a: int, b: native.i32, c: bool) -> int:
    for i in range(a):
        for i in range(i):
            if i == b:
                return i + 100 if c else -i
            if i > 5 and not c:
                break
        else_ = i
        a += else_ % 2
    return a


@cuda.device
def outer(n: int, f: float) -> float:
    n = inner(n, 3, f > 0) + inner(n % 4, -1, n > 3)
    f = f if f == f else -1
    while f > 1:
        f /= 2
        if inner(n, 1, True) > 3:
            continue
        n -= 1
    return f + n


@cuda.device
def sgn(x: float) -> int:
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


@tile.kernel
def devs(x: native.const_ptr[float], y: native.ptr[float], n: int) -> None:
    l = tile.arange(16)
    v = tile.load(x, l)
    tile.store(y, l, outer(l, v))
    tile.store(y, l + 16, sgn(v) * sgn(v - 1) + tile.sum(sgn(v)))
    s = 0
    for k in range(n):
        s += sgn(tile.load(x, k)) if k % 2 else sgn(tile.sum(v))
    tile.store(y, 32, s)


@tile.kernel
def hazards(n: int, x: native.ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(128)
    p = native.offset(x, 0)
    acc = tile.load(x, l)
    for k in range(n):
        tile.store(p, l, acc + k)
        acc = tile.load(x, (l + k * 3 + 1) % 128)
        if k % 2 == 1:
            p = native.offset(x, 64)
        else:
            p = native.offset(x, 1)
        if tile.load(p, 3) > 50.0:
            tile.store(x, 5, -1.0)
            continue
        tile.store(p, 7, tile.load(p, 8) * 0.5)
        acc = acc + tile.load(x, 127 - l)
    tile.store(y, l, acc)


@tile.kernel
def loopcond(x: native.ptr[float], y: native.ptr[int]) -> None:
    l = tile.arange(32)
    big = tile.arange(1024)
    k = 0
    while tile.sum(tile.load(x, l)) < 1000.0 and k < 50:
        tile.store(x, l, tile.load(x, l) * 2.0 + 1.0)
        tile.store(x, big + 32, tile.load(x, big + 32) + tile.max(tile.load(x, l)))
        k += 1
    tile.store(y, 0, k)
    tile.store(y, big + 1, tile.cast(tile.load(x, big + 32), int) % 1000)


@tile.kernel
def boolcarry(n: int, x: native.const_ptr[int], y: native.ptr[int], z: native.ptr[bool]) -> None:
    l = tile.arange(64)
    v = tile.load(x, l)
    alive = v > 0
    steps = v * 0
    k = 0
    while tile.any(alive) and k < n:
        v = tile.where(alive, tile.where(v % 2 == 0, v // 2, v * 3 + 1), v)
        steps = steps + alive
        alive = alive & (v != 1)
        k += 1
    tile.store(y, l, steps * 1000 + v)
    tile.store(z, l, ~alive | (v == 4))
    tile.store(y, 64, k)


@tile.kernel
def widen(n: int, y: native.ptr[float]) -> None:
    a = 0
    b = 7
    c = 1
    for k in range(n):
        a = a + 0.5
        b = b // 2
        c = b if k % 2 else a
    tile.store(y, 0, a)
    tile.store(y, 1, b)
    tile.store(y, 2, c)
    tile.store(y, 3, a // 2)
    tile.store(y, 4, 7 // 2 + a)


@tile.kernel
def big(
    x: native.const_ptr[native.f32],
    i: native.const_ptr[native.i32],
    y: native.ptr[native.f32],
    z: native.ptr[native.i32],
) -> None:
    l = tile.arange(2048)
    v = tile.load(x, l)
    r = tile.load(x, 2047 - l)
    g = tile.load(x, tile.load(i, l))
    m = tile.max(v * r) - tile.min(g)
    tile.store(y, l, tile.where(v > r, g, m))
    tile.store(y, tile.load(i, l) + 2048, v)
    q = tile.load(i, l)
    tile.store(z, l, q * 65537 + tile.max(q) - (q << 3) + (q >> 1) + (q & 255) ** 2)
    tile.store(z, 2048, tile.sum(q * q))
    s = tile.arange(4)
    tile.store(z, s + 2049, tile.load(i, s * 512) + tile.sum(tile.load(i, s)))
    tile.store(
        y, 4096 + tile.arange(8), tile.load(y, tile.arange(8) * 256 + 2048) + tile.sum(tile.load(x, tile.arange(8)))
    )


@tile.kernel
def guards(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    far = n * 1000000007
    a = tile.load(x, far) if n == 0 else -1.0
    b = 5.0 if n != 0 or tile.load(x, far) > 1e9 else 6.0
    c = tile.load(x, 1) if n > 1 and tile.load(x, n % 3) < 0 < tile.load(x, 0) * 0 + 1 else a
    l = tile.arange(8)
    t = tile.load(x, l + far, l < 4) if n == 0 else tile.load(x, l)
    if n == 0 and tile.sum(t) != 0.25:
        t = t + 1
    tile.store(y, l, t + a + b + c)


@cuda.kernel
def tguards(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    j = i * i * 1000003 - 5
    ok = 0 <= j < n and native.load(native.offset(x, j)) > 0 or i == 3
    v = native.load(native.offset(x, j)) if 0 <= j and j < n else -2.5
    w = 0.0
    if i > 2 and (j < n or i % 2 == 0) and not (j > n and native.load(native.offset(x, i % n)) > 0):
        w = 1
    native.store(native.offset(y, i), v + w + ok * 10)


@cuda.kernel
def aug(n: int, y: native.ptr[int], z: native.ptr[float]) -> None:
    i = cuda.global_id()
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
    b: float = a
    b /= 3
    b //= 0.5
    b **= 2
    b %= 7
    c: native.f32 = 0.1
    d: native.i32 = 2147483647
    for k in range(3):
        c += c * 1.1
        d = native.cast(d + i, native.i32)
    e = f = g = a - 1
    e, f = divmod(e, -7)
    g, (h) = g + 1, g
    native.store(native.offset(y, i * 4), a)
    native.store(native.offset(y, i * 4 + 1), d)
    native.store(native.offset(y, i * 4 + 2), e * 100 + f)
    native.store(native.offset(y, i * 4 + 3), g * 1000 + h)
    native.store(native.offset(z, i * 2), b)
    native.store(native.offset(z, i * 2 + 1), c)


@cuda.kernel
def bools(x: native.const_ptr[bool], y: native.ptr[int], f: native.const_ptr[native.f32], z: native.ptr[float]) -> None:
    i = cuda.global_id()
    a = native.load(native.offset(x, i))
    b = native.load(native.offset(x, i + 1))
    v = native.load(native.offset(f, i))
    s = 0
    s = s * 2 + (-a)
    s = s * 2 + (+b)
    s = s * 2 + (a + b)
    s = s * 2 + (a == b)
    s = s * 2 + (a < b)
    s = s * 2 + (a ^ b)
    s = s * 2 + (~a)
    s = s * 2 + (not b)
    s = s * 2 + (a and b)
    s = s * 2 + (a * b - a // (b + 1))
    s = s * 2 + (a << 2) + (b % 2)
    s = s * 2 + max(a, b) + min(a, 3)
    s = s * 2 + int(a) + abs(b)
    native.store(native.offset(y, i), s)
    native.store(
        native.offset(z, i), v * a + b * 0.1 + (0.5 if v else 2) + (1 if not v else 0) + bool(v) + (v > 0) / 4 + a / 2
    )


@cuda.kernel
def nest(n: int, y: native.ptr[int]) -> None:
    i = cuda.global_id()
    s = 0
    for k in range(n):
        for k in range(k):
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
                return
    while n:
        n -= 1
        if n == LIM:
            break
        s += n
    native.store(native.offset(y, i), s)


@cuda.kernel
def xyz(x: native.const_ptr[int], y: native.ptr[int]) -> None:
    s = cuda.shared[int, 105]()
    r = cuda.shared[native.f32, 105]()
    t = cuda.thread_id(0) + cuda.block_dim(0) * (cuda.thread_id(1) + cuda.block_dim(1) * cuda.thread_id(2))
    b = cuda.block_id(0) + cuda.grid_dim(0) * cuda.block_id(1)
    v = native.load(native.offset(x, b * 105 + t))
    for k in range(4):
        native.store(native.offset(s, t), v)
        native.store(native.offset(r, 104 - t), v * 0.5)
        cuda.syncthreads()
        if t % 3 == 0:
            v += native.load(native.offset(s, (t * 7 + k) % 105))
        elif v > 100:
            v = native.cast(native.load(native.offset(r, t)), int)
        cuda.syncthreads()
        stop = native.load(s) > 500
        cuda.syncthreads()
        if stop:
            break
    native.store(native.offset(y, b * 105 + t), v)


@cuda.kernel
def shufloop(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    v = native.load(native.offset(x, i))
    lane = cuda.thread_id() % 32
    k = 1
    while k < 32:
        up = cuda.shfl_up(v, k)
        if lane >= k:
            v += up
        k *= 2
    total = cuda.shfl(v, 31)
    for r in range(n):
        w = cuda.shfl_down(v, r + 1)
        v = w if w > v else v - total
    native.store(native.offset(y, i), v)


@cuda.kernel
def locals_(n: int, y: native.ptr[int]) -> None:
    i = cuda.global_id()
    st = native.stack_alloc[int](16)
    top = 0
    native.store(st, i)
    top += 1
    count = 0
    while top > 0 and count < 100:
        top -= 1
        v = native.load(native.offset(st, top))
        count += 1
        if v > 1:
            native.store(native.offset(st, top), v // 2)
            native.store(native.offset(st, top + 1), v // 3)
            top += 2
            if top > 14:
                return
    p = native.offset(st, 3)
    q = native.offset(p, -2)
    native.store(q, n)
    native.store(native.offset(y, i), count * 10 + native.load(native.offset(st, 1)))


@cuda.kernel
def intmix(a: native.const_ptr[native.i32], b: native.const_ptr[int], y: native.ptr[int]) -> None:
    i = cuda.global_id()
    p = native.load(native.offset(a, i))
    q = native.load(native.offset(b, i))
    native.store(native.offset(y, i * 8), p << q)
    native.store(native.offset(y, i * 8 + 1), p << 31)
    native.store(native.offset(y, i * 8 + 2), p >> 33)
    native.store(native.offset(y, i * 8 + 3), p * p + q)
    native.store(native.offset(y, i * 8 + 4), -p)
    native.store(native.offset(y, i * 8 + 5), abs(p) + p // -1)
    native.store(native.offset(y, i * 8 + 6), p // 3 * q + p % -5)
    native.store(native.offset(y, i * 8 + 7), max(p, q) - min(p, 7) + (p == q) + ~p)


@tile.kernel
def zero_d(x: native.ptr[float], n: int) -> None:
    pid = tile.program_id()
    if pid >= n:
        return
    one = tile.arange(1)
    t = tile.load(x, one + pid)
    for k in range(3):
        tile.store(x, one + pid, t * 2)
        t = tile.load(x, one + pid) + tile.sum(t)
    tile.store(x, pid, tile.max(t))


@tile.kernel
def scalar_then_tile(n: int, x: native.ptr[float], y: native.ptr[float]) -> None:
    l = tile.arange(256)
    for k in range(n):
        tile.store(x, k, tile.load(x, k) + k)
        v = tile.load(x, l)
        tile.store(x, 255 - k, tile.sum(v))
        tile.store(y, l, v + tile.load(x, 255 - l))
        w = tile.load(y, l ^ 1)
        tile.store(y, 0, tile.load(y, 1) + tile.max(w))
        if tile.load(y, 0) > 1e3:
            return
