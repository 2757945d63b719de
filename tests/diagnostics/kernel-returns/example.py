from transpile import native, tile


@tile.kernel
def first(x: native.ptr[float]) -> float:
    tile.store(x, 0, 1.0)
