from transpile import native, tile

COUNT = 0


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    global COUNT
