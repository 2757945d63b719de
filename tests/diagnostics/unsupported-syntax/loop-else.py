from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    for i in range(n):
        if i > 3:
            break
    else:
        tile.store(x, 0, 1.0)
    while n > 3:
        n -= 1
    else:
        tile.store(x, 0, 1.0)
