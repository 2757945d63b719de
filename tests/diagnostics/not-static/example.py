import os

from transpile import native, tile

WIDTH = int(os.environ["WIDTH"])


@tile.kernel
def kernel(x: native.ptr[int]) -> None:
    tile.store(x, 0, WIDTH)
