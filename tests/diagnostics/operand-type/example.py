from transpile import native, tile


@tile.kernel
def bits(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.load(x, lane) & 1)
