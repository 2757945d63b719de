import math
import sys

from transpile import native, tile


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    tile.store(x, 0, sys.maxsize * math.pi)
