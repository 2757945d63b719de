from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    pair = 1, n
    tile.store(x, (lane, lane), 1.0)
    more = tuple(pair)
