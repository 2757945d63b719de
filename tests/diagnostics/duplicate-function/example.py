from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, 2.0)
