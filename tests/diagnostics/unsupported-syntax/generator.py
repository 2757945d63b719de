from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.maximum(0.0, (i * 1.0 for i in range(n))))
