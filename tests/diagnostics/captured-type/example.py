from transpile import native, tile

WEIGHTS = [1.0, 2.0]


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    tile.store(x, 0, WEIGHTS)
