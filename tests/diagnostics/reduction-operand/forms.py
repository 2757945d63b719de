from transpile import native, tile


@tile.kernel
def forms(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    a = tile.max(n)
    b = tile.any(tile.arange(8))
    c = tile.all(tile.load(x, tile.arange(8)))
    d = tile.sum(x)
