from transpile import native, tile


@tile.kernel
def fill(n, x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
