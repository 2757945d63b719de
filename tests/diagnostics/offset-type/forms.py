from transpile import native, tile


@tile.kernel
def forms(a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = tile.load(x, a)
    u = tile.load(x, tile.arange(8) < 3)
    p = native.offset(x, tile.arange(8))
    tile.store(y, 0.0, v)
