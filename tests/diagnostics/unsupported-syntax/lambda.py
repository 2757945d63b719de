from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.map(lambda v: v * 2.0, tile.load(x, lane)))
