from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    values = [1.0, 2.0]
    tile.store(x, 0, 1.0)
