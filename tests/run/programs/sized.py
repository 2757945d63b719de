"""Shared arrays that an argument of the launch sizes, alone and beside others."""

from transpile import cuda, native

T = native.TypeVar("T", native.f16, native.f32)


@cuda.kernel
def turn(n: int, x: native.const_ptr[native.f32], out: native.ptr[native.f32]) -> None:
    parked = cuda.shared[native.f32, n]()
    for k in range(cuda.thread_id(), n, cuda.block_dim()):
        native.store(native.offset(parked, k), native.load(native.offset(x, k)))
    cuda.syncthreads()
    for k in range(cuda.thread_id(), n, cuda.block_dim()):
        native.store(native.offset(out, cuda.block_id() * n + k), native.load(native.offset(parked, n - 1 - k)))


@cuda.kernel
def beside(x: native.const_ptr[native.i16], size: int, room: int, out: native.ptr[float]) -> None:
    totals = cuda.shared[float, 3]()
    flags = cuda.shared[native.u8, 5]()
    i = cuda.thread_id()
    if size > 0:
        held = cuda.shared[native.i16, room]()
        for k in range(i, size, cuda.block_dim()):
            native.store(native.offset(held, k), native.load(native.offset(x, k)))
        cuda.syncthreads()
        if i < 3:
            total = 0.0
            for k in range(i, size, 3):
                total = total + native.load(native.offset(held, size - 1 - k))
            native.store(native.offset(totals, i), total)
            native.store(native.offset(flags, i), i + 1)
        cuda.syncthreads()
        if i < 3:
            v = native.load(native.offset(totals, 2 - i)) * native.load(native.offset(flags, 2 - i))
            native.store(native.offset(out, i), v)


@cuda.kernel
def sums(size: native.static[int], n: int, x: native.const_ptr[T], out: native.ptr[T]) -> None:
    parts = cuda.shared[native.i32, size]()
    held = cuda.shared[T, n]()
    i = cuda.thread_id()
    if i < size:
        native.store(native.offset(parts, i), i)
    if i < n:
        native.store(native.offset(held, i), native.load(native.offset(x, i)))
    cuda.syncthreads()
    if i < n:
        part = native.load(native.offset(parts, i % size))
        native.store(native.offset(out, i), native.load(native.offset(held, n - 1 - i)) + part)


@cuda.kernel
def turned(size: native.static[int], n: int, x: native.const_ptr[native.u8], out: native.ptr[native.u8]) -> None:
    held = cuda.shared[native.u8, n]()
    for k in range(cuda.thread_id(), n, cuda.block_dim()):
        native.store(native.offset(held, k), native.load(native.offset(x, k)) + size)
    cuda.syncthreads()
    for k in range(cuda.thread_id(), n, cuda.block_dim()):
        native.store(native.offset(out, k), native.load(native.offset(held, n - 1 - k)))
