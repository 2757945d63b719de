from transpile import native, tile


@tile.kernel
def put(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, 0, tile.load(x, lane))
