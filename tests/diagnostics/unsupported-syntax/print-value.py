from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    y = print(n)
    tile.store(x, 0, 1.0 if print(n) else 2.0)
