from transpile import native, tile


@tile.kernel
def mix(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(64))
    u = t + tile.load(x, tile.arange(32))
    tile.store(y, tile.arange(64), u)
