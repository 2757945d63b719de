from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(8)
    t = tile.load(x, lane)
    tile.store(x, lane, t, lane < n & t > 0.0)
