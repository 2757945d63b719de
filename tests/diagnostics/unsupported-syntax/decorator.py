import functools

from transpile import native, tile


@functools.cache
@tile.kernel
@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
