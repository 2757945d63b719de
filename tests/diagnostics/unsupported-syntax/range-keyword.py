from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    for i in range(stop=n):
        tile.store(x, i, 1.0)
