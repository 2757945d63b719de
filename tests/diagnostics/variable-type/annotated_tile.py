from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[native.f16]) -> None:
    t: native.f16 = tile.load(x, tile.arange(8)) * 2.0
    n = tile.arange(8)
    tile.store(x, n, t)
