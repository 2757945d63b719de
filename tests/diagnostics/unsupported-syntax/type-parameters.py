# python 3.12
from transpile import native, tile


@tile.kernel
def kernel[T](n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
