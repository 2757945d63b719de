from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    total = [i * i for i in range(n)]
    seen = {i for i in range(n)}
    squares = {i: i * i for i in range(n)}
