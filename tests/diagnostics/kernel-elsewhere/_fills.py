from transpile import native, tile


@tile.kernel
def fill(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, n * 1.0)
