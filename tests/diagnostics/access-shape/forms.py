from transpile import native, tile


@tile.kernel
def forms(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    lane = tile.arange(8)
    u = tile.load(x, 0, lane < 3)
    v = tile.load(x, 0, True, lane)
    tile.store(y, 0, lane)
    native.store(y, lane)
