from transpile import native, tile


@tile.kernel(warps=4)
def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
