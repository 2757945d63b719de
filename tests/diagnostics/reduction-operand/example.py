from transpile import native, tile


@tile.kernel
def total(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, tile.sum(n))
