"""Thread kernels: barriers, shuffles, shared and local memory, early returns, ranges, pointers that move."""

import math

from transpile import cuda, native, tile


@cuda.kernel
def barrier_tree(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    buf = cuda.shared[float, 128]()
    t = cuda.thread_id()
    native.store(native.offset(buf, t), native.load(native.offset(x, cuda.global_id())))
    cuda.syncthreads()
    s = cuda.block_dim() // 2
    while s > 0:
        if t < s:
            native.store(
                native.offset(buf, t), native.load(native.offset(buf, t)) + native.load(native.offset(buf, t + s))
            )
        cuda.syncthreads()
        s = s >> 1
    if t == 0:
        native.store(native.offset(y, cuda.block_id()), native.load(buf))


@cuda.kernel
def early(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    if i >= n:
        return
    v = native.load(native.offset(x, i))
    for k in range(i % 5):
        if v > 2.0:
            break
        if k == 1:
            continue
        v = v + 1.0
        if v < -1.0:
            native.store(native.offset(y, i), -99.0)
            return
    else_ = v * 2
    native.store(native.offset(y, i), else_)


@cuda.kernel
def two_shared(x: native.const_ptr[int], y: native.ptr[int]) -> None:
    a = cuda.shared[int, 64]()
    b = cuda.shared[native.i32, 64]()
    c = cuda.shared[bool, 64]()
    t = cuda.thread_id()
    n = cuda.block_dim()
    v = native.load(native.offset(x, t))
    for r in range(3):
        native.store(native.offset(a, t), v)
        native.store(native.offset(b, (t + 1) % n), v * 4294967297 + r)
        native.store(native.offset(c, n - 1 - t), v > 3)
        cuda.syncthreads()
        v = native.load(native.offset(a, (t + 7) % n)) + native.load(native.offset(b, t)) * (
            1 if native.load(native.offset(c, t)) else 2
        )
        cuda.syncthreads()
    native.store(native.offset(y, t), v)


@cuda.kernel
def shuf(x: native.const_ptr[int], y: native.ptr[int], d: int) -> None:
    i = cuda.global_id()
    v = native.load(native.offset(x, i))
    n = cuda.block_dim() * cuda.grid_dim()
    native.store(native.offset(y, i), cuda.shfl_xor(v, d))
    native.store(native.offset(y, i + n), cuda.shfl(v, d))
    native.store(native.offset(y, i + 2 * n), cuda.shfl_up(v, d))
    native.store(native.offset(y, i + 3 * n), cuda.shfl_down(v, d))
    native.store(native.offset(y, i + 4 * n), cuda.shfl(v, i * 3 + d))
    native.store(native.offset(y, i + 5 * n), cuda.shfl_xor(v, i))
    native.store(native.offset(y, i + 6 * n), cuda.shfl_up(v, -i))
    native.store(native.offset(y, i + 7 * n), cuda.shfl_down(v, i * 5))


@cuda.kernel
def shuf_types(
    f: native.const_ptr[native.f32], b: native.const_ptr[bool], g: native.const_ptr[float], y: native.ptr[float]
) -> None:
    i = cuda.global_id()
    fv = native.load(native.offset(f, i))
    bv = native.load(native.offset(b, i))
    gv = native.load(native.offset(g, i))
    k = native.cast(i, native.i32)
    r = cuda.shfl_xor(fv, 1) + cuda.shfl_down(k, 2)
    if cuda.shfl_up(bv, 3):
        r = r + 1
    native.store(native.offset(y, i), r * cuda.shfl(gv, 33) + cuda.shfl_xor(0.5, 1) + cuda.shfl_up(True, 2))


@cuda.kernel
def group_uniform(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = cuda.thread_id()
    w = t // 32
    v = native.load(native.offset(x, cuda.global_id()))
    if w == 1:
        v = v + cuda.shfl_xor(v, 16)
    elif w >= 2:
        for s in range(w):
            v = v + cuda.shfl_down(v, 1)
            if s == 1:
                break
    if t < 64:
        v = v * cuda.shfl(v, 0)
        cuda.syncwarp()
    native.store(native.offset(y, cuda.global_id()), v)


@cuda.kernel
def dims(y: native.ptr[int]) -> None:
    bx = cuda.block_dim(0)
    by = cuda.block_dim(1)
    bz = cuda.block_dim(axis=2)
    gx = cuda.global_id(0)
    gy = cuda.global_id(1)
    gz = cuda.global_id(2)
    nx = bx * cuda.grid_dim(0)
    ny = by * cuda.grid_dim(1)
    v = (
        cuda.thread_id(0)
        + 10 * cuda.thread_id(1)
        + 100 * cuda.thread_id(2)
        + 1000 * cuda.block_id(0)
        + 10000 * cuda.block_id(1)
        + 100000 * cuda.block_id(2)
    )
    native.store(native.offset(y, gx + nx * (gy + ny * gz)), v)


@cuda.kernel
def local(n: int, y: native.ptr[int]) -> None:
    a = native.stack_alloc[int](8)
    i = cuda.global_id()
    for k in range(8):
        if k != 3:
            native.store(native.offset(a, k), k * i)
    native.store(native.offset(a, i % 8), 100)
    s = 0
    for k in range(8):
        s = s * 3 + native.load(native.offset(a, (k + n) % 8))
    native.store(native.offset(y, i), s)


@cuda.kernel
def local_loop(y: native.ptr[int]) -> None:
    i = cuda.global_id()
    s = 0
    for k in range(3):
        a = native.stack_alloc[int](4)
        native.store(native.offset(a, k), native.load(native.offset(a, 1)) + i + 1)
        s = s * 100 + native.load(a) + native.load(native.offset(a, 1)) + native.load(native.offset(a, 2))
    native.store(native.offset(y, i), s)


@cuda.kernel
def local_barrier(y: native.ptr[int]) -> None:
    sh = cuda.shared[int, 64]()
    a = native.stack_alloc[int](4)
    t = cuda.thread_id()
    native.store(native.offset(a, t % 4), t)
    p = native.offset(a, t % 3)
    native.store(native.offset(sh, t), t * t)
    cuda.syncthreads()
    q = native.load(native.offset(sh, cuda.block_dim() - 1 - t))
    native.store(p, native.load(p) + q)
    cuda.syncthreads()
    native.store(
        native.offset(y, cuda.global_id()),
        native.load(a)
        + native.load(native.offset(a, 1)) * 10
        + native.load(native.offset(a, 2)) * 100
        + native.load(native.offset(a, 3)) * 1000,
    )


@cuda.kernel
def early_barrier(n: int, x: native.const_ptr[int], y: native.ptr[int]) -> None:
    sh = cuda.shared[int, 96]()
    if cuda.block_id() >= n:
        return
    t = cuda.thread_id()
    i = cuda.global_id()
    v = native.load(native.offset(x, i))
    native.store(native.offset(sh, t), v)
    cuda.syncthreads()
    if native.load(native.offset(x, 0)) > 5:
        native.store(native.offset(y, i), -1)
        return
    k = 0
    while True:
        w = native.load(native.offset(sh, (t + 1) % cuda.block_dim()))
        cuda.syncthreads()
        native.store(native.offset(sh, t), w + k)
        cuda.syncthreads()
        k += 1
        if k == n:
            break
        if k > 3:
            native.store(native.offset(y, i), w * 1000)
            return
    if t % 2:
        return
    native.store(native.offset(y, i), native.load(native.offset(sh, t)))


@cuda.kernel
def whiles(n: int, y: native.ptr[int]) -> None:
    i = cuda.global_id()
    a = 0
    b = 100
    while (a < n and b > i) or (a % 7 == 3 and not b == 50) or False:
        a += 1
        b -= 3 if a % 2 else 1
        if 10 < a < 13 or a == 20:
            continue
        while b % 5 and b > -50:
            b -= 1
            if b == i:
                break
        if a > 30:
            break
    native.store(native.offset(y, i), a * 1000 + b)


@cuda.kernel
def ranges(n: int, s: int, y: native.ptr[int]) -> None:
    i = cuda.global_id()
    acc = 0
    k = -77
    for k in range(n, i - 4, s):
        acc = acc * 3 + k
        n = n + 100
        s = 99
        k = k + 5
    native.store(native.offset(y, i), acc * 1000 + k + n + s)


@cuda.kernel
def range_ends(y: native.ptr[int]) -> None:
    c = 0
    z = 9223372036854775807 + cuda.thread_id()
    for k in range(9223372036854775800, z, 3):
        c += 1
    for k in range(-9223372036854775800, -z - 1, -5):
        c += 100
    for k in range(z - 1, z):
        c += 10000
    m = 4611686018427387904 + cuda.thread_id()
    for k in range(-m - m, m + (m - 1), m):
        c += 1000000
    native.store(y, c)


@cuda.kernel(alias=True)
def alias_seq(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    if cuda.global_id() == 0:
        for k in range(n):
            a = native.load(native.offset(x, k))
            native.store(native.offset(y, k), a + 1.0)
            b = native.load(native.offset(x, k))
            native.store(native.offset(y, k + 1), a * b + native.load(native.offset(x, k + 1)))


@cuda.kernel
def swaps(n: int, y: native.ptr[int]) -> None:
    i = cuda.global_id()
    a, b, c, d = i, 1, 2, 3
    p = y
    q = native.offset(y, 32)
    k = 0
    for k in range(n):
        a, b, c, d = b, a + c, d, a
        p, q = q, p
        if k == 2:
            b, a, c = c, b, a
    native.store(native.offset(p, i), a + 10 * b + 100 * c + d)
    native.store(native.offset(q, i), k if n > 0 else 0)


@cuda.kernel
def ptr_pick(f: bool, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    p = native.offset(x, i)
    if i % 3 == 1:
        p = native.offset(p, 2)
    elif i % 3 == 2:
        p = native.offset(x, 0)
    v = native.load(p)
    k = 0
    while k < i:
        p = native.offset(p, 1)
        k = k + 1
        if native.load(p) > 0.5:
            break
    native.store(native.offset(y, i), v + native.load(p) + k)


@cuda.device
def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return abs(a)


@cuda.device
def pick(c: bool, a: float, b: native.f32) -> float:
    return a if c else b


@cuda.device
def poly(x: native.f32, n: native.i32) -> native.f32:
    return x * n + 0.1


@cuda.kernel
def devs(x: native.const_ptr[int], f: native.const_ptr[native.f32], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    a = native.load(native.offset(x, i))
    v = native.load(native.offset(f, i))
    native.store(native.offset(y, i), gcd(a, i * 6) + pick(a > 3, a, v) * poly(v, 3))
    native.store(
        native.offset(y, i + 32),
        native.fma(v, 2, 0.1)
        + native.fmax(v, math.nan)
        + native.where(a > 0, v, a)
        + native.cast(v, int)
        + native.minimum(a, 3),
    )


@cuda.kernel
def shared_scalar(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    s = cuda.shared[float, 1]()
    m = cuda.shared[native.f32, 32]()
    t = cuda.thread_id()
    if t == 5:
        native.store(s, native.load(native.offset(x, cuda.block_id())))
    native.store(native.offset(m, t % 32), t % 32)
    cuda.syncthreads()
    native.store(native.offset(y, cuda.global_id()), native.load(s) + native.load(native.offset(m, 31 - t % 32)))
