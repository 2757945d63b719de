from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    a, (b, c) = 1, (2, n)
    [d, [e, f]] = 1, (2, 3)
