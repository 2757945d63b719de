from transpile import native, tile


@tile.kernel
def clip(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    t = tile.load(x, lane)
    if t > 1.0:
        tile.store(x, lane, 1.0)
