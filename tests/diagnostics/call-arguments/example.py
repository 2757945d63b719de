from transpile import native, tile


@tile.kernel
def read(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.load(x, lane, fill=0.0))
