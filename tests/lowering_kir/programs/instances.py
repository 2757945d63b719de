"""Instances of one kernel: one template where they differ only in numbers."""

from transpile import cuda, native, tile


@tile.kernel
def relief(cols: native.static[int], x: native.const_ptr[float], out: native.ptr[float], scale: float) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    xs = tile.load(x, at)
    top = tile.max(xs)
    ys = (xs - top) * (xs - tile.sum(xs) / cols) * scale
    tile.store(out, at, ys / tile.sum(ys * ys))


@cuda.kernel
def spread(out: native.ptr[float], period: native.static[int], n: int) -> None:
    i = cuda.global_id()
    local = native.stack_alloc[float](period)
    parked = cuda.shared[float, period]()
    for k in range(period):
        native.store(native.offset(local, k), k * 2.0 + period)
    native.store(native.offset(parked, i % period), 2.0)
    cuda.syncthreads()
    if i < n:
        old = native.load(native.offset(out, i)) + native.load(native.offset(parked, i % (2 * period) // 2))
        native.store(native.offset(out, i), old + i % period + native.load(native.offset(local, i % (period - 1))))


def run(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    tile.launch(relief, 1, 1024, x, out, 2.0)
    tile.launch(relief, 2, 2048, x, out, 2.0)
    tile.launch(relief, 2, 64, x, out, 2.0)
    tile.launch(relief, 2, 8, x, out, 2.0)
    cuda.launch(spread, 2, 64, out, 5, n)
    cuda.launch(spread, 2, 64, out, 7, n)
