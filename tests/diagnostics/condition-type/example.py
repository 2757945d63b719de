from transpile import native, tile


@tile.kernel
def odd(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, 1.0, lane % 2)
