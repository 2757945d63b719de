from transpile import native, tile


@tile.kernel
def kernel(n: int = 1, x: native.ptr[float] = 0) -> None:
    lane = tile.arange(32)
