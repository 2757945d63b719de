"""Several elements in one access: in the arrays of the launch, in shared and in local memory; loops and conditions."""

from transpile import cuda, native


@cuda.kernel
def scale(n: int, a: native.f32, x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    i = cuda.global_id() * 4
    if i + 4 <= n:
        p = native.offset(y, i)
        x0, x1, x2, x3 = native.load(native.offset(x, i), width=4)
        y0, y1, y2, y3 = native.load(p, width=4)
        native.store(p, (a * x0 + y0, a * x1 + y1, a * x2 + y2, a * x3 + y3))
    else:
        for k in range(i, n):
            native.store(native.offset(y, k), a * native.load(native.offset(x, k)) + native.load(native.offset(y, k)))


@cuda.kernel
def turned(x: native.ptr[float], y: native.ptr[native.i32], z: native.ptr[int]) -> None:
    """Pairs change places through shared memory, which other threads read."""
    wide = cuda.shared[float, 128]()
    small = cuda.shared[native.i32, 256]()
    t = cuda.thread_id()
    i = cuda.global_id()
    a, b = native.load(native.offset(x, 2 * i), width=2)
    c, d, e, f = native.load(native.offset(y, 4 * i), width=4)
    native.store(native.offset(wide, 2 * t), (b, a))
    native.store(native.offset(small, 4 * t), (f, e, d * 2, c))
    cuda.syncthreads()
    other = cuda.block_dim() - 1 - t
    b, a = native.load(native.offset(wide, 2 * other), 2)
    native.store(native.offset(x, 2 * i), (a - b, b * 0.5))
    c, d, e, f = native.load(native.offset(small, 4 * other), width=4)
    native.store(native.offset(y, 4 * i), (c, d, e, f))
    native.store(native.offset(z, 2 * i), (int(c) * 1_000_000_000_000, -1))


@cuda.kernel
def bytes_and_locals(n: int, m: native.ptr[bool], x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    mine = native.stack_alloc[native.f32](8)
    i = cuda.global_id()
    for k in range(2):
        a, b, c, d = native.load(native.offset(x, 8 * i + 4 * k), width=4)
        native.store(native.offset(mine, 4 * k), (d, c, b, a))
    p, q = native.load(native.offset(mine, 2 * (i % 4)), width=2)
    native.store(native.offset(y, 2 * i), (p, q))
    f0, f1, f2, f3, f4, f5, f6, f7 = native.load(native.offset(m, 8 * i), width=8)
    if f0 or f7:
        native.store(native.offset(m, 8 * i), (f7, f6, f5, f4, f3, f2, f1, True))
    total = 0.0
    k = 0
    while k < n:
        u, v = native.load(native.offset(x, 2 * ((i + k) % 32)), width=2)
        if u > v:
            u, v = v, u
        total = total + u * 2.0 - v
        k += 1
    native.store(native.offset(y, 128 + i), total)


@cuda.kernel
def narrow(x: native.const_ptr[native.u8], h: native.ptr[native.f16], b: native.ptr[native.bf16]) -> None:
    """Sixteen bytes at once, whatever they hold; the bits of what is only moved stay."""
    i = cuda.global_id()
    p = native.offset(x, 16 * i)
    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15 = native.load(p, width=16)
    h0, h1, h2, h3, h4, h5, h6, h7 = native.load(native.offset(h, 8 * i), width=8)
    low = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7
    high = a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15
    native.store(native.offset(h, 8 * i), (h7, h6, h5, h4, h3 + 1.0, h2 * h1, low, high))
    b0, b1, b2, b3 = native.load(native.offset(b, 4 * i), width=4)
    native.store(native.offset(b, 4 * i), (b3 * b0, b2, b1, h0))
