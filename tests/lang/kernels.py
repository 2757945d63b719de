"""Kernels that the tests of launches share."""

from __future__ import annotations

import math

from transpile import cuda, native, tile

SCALE = 2.0


@cuda.device
def half(v: float) -> float:
    """Half of v."""
    return v * 0.5


@cuda.device
def hypotenuse(a: float, b: float) -> float:
    return math.sqrt(a * a + b * b)


@cuda.device
def steps(n: int) -> int:
    count = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


@cuda.device
def below(v: float, limit: native.f32) -> bool:
    return v < limit


@tile.kernel
def twice(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    """Writes a times x."""
    lane = tile.arange(32)
    ok = lane < n
    tile.store(y, lane, tile.load(x, lane, ok) * a, ok)


@tile.kernel
def narrow(
    k: native.i32, a: native.f32, flag: bool, x: native.const_ptr[native.f32], y: native.ptr[native.i32]
) -> None:
    lane = tile.arange(4)
    xs = tile.load(x, lane) * a
    tile.store(y, lane, tile.cast(xs, native.i32) + (k if flag else 0))


@tile.kernel(alias=True)
def rotate(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    lane = tile.arange(4)
    tile.store(y, lane, tile.load(x, (lane + 1) % 4))


@tile.kernel
def fold(size: native.static[int], x: native.const_ptr[float], out: native.ptr[float]) -> None:
    tile.store(out, 0, tile.sum(tile.load(x, tile.arange(size))))


@tile.kernel
def scale(x: native.ptr[float]) -> None:
    lane = tile.arange(4)
    tile.store(x, lane, half(tile.load(x, lane)) * SCALE)


@cuda.kernel
def grow(x: native.ptr[float]) -> None:
    slot = native.offset(x, cuda.global_id())
    native.store(slot, native.load(slot) + 1.0)


@cuda.kernel
def swap(x: native.ptr[float]) -> None:
    slot = native.offset(x, cuda.global_id())
    native.store(slot, cuda.shfl_xor(native.load(slot), 1))


@cuda.kernel
def turn(n: int, x: native.ptr[float]) -> None:
    other = cuda.shared[native.i16, 5]()
    held = cuda.shared[float, n]()
    i = cuda.thread_id()
    native.store(native.offset(other, 0), 1)
    native.store(native.offset(held, i), native.load(native.offset(x, i)))
    cuda.syncthreads()
    v = native.load(native.offset(held, cuda.block_dim() - 1 - i)) * native.load(other)
    native.store(native.offset(x, i), v)


@cuda.kernel
def first_group(x: native.ptr[float]) -> None:
    v = 0.0
    if cuda.thread_id() // 32 == 0:
        v = cuda.shfl_xor(1.0, 1)
    native.store(native.offset(x, cuda.thread_id() + cuda.block_dim() * cuda.thread_id(1)), v)


def launcher(n: int, x: native.ptr[float]) -> None:
    cuda.launch(grow, (n + 3) // 4, 4, x)
