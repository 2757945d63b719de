from transpile import native, tile


@tile.kernel
def forms(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = tile.load(x, tile.arange(8))
    a = tile.var(v, n)
    b = tile.var(v, correction=8)
    c = tile.var(v, correction=-1)
    d = tile.var(tile.load(x, tile.arange(1)), 1)
    e = tile.mean(n) + tile.argmax(2.0)
    g = tile.cumsum(n)
