import sys

from transpile import native, tile

WIDTH = int(sys.argv[1])


@tile.kernel
def kernel(x: native.ptr[int]) -> None:
    tile.store(x, 0, WIDTH)
