from transpile import native, tile


@tile.kernel
def swapped(x: native.ptr[float]) -> None:
    tile.store(tile.arange(32), x, 1.0)
