from transpile import native, tile


@tile.kernel
def resize(x: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(64))
    t = tile.load(x, tile.arange(32))
    tile.store(x, tile.arange(32), t)
