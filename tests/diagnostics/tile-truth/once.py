from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    at = tile.arange(8)
    t = tile.load(x, at, at < n and at > 0)
    if at > n or t > 0.0:
        tile.store(x, at, t)
    assert n > 0 and t > 0.0
