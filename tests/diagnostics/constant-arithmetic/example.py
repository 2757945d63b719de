from transpile import native, tile

STEP = 1.5 << 2


@tile.kernel
def kernel(x: native.ptr[int]) -> None:
    tile.store(x, 0, STEP)
