from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    for i in range():
        pass
    for i in range(0, n, 1, 2):
        pass
