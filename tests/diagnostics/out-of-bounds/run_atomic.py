import numpy as np

from transpile import native, tile


@tile.kernel
def count(x: native.const_ptr[int], hist: native.ptr[native.i32]) -> None:
    v = tile.load(x, tile.arange(8))
    tile.atomic_add(hist, v, 1, v >= 0)


tile.launch(count, 1, np.array([0, 1, -5, 3, 4, 2, 0, 0]), np.zeros(4, np.int32))
