from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, tile.aranje(32), 1.0)
