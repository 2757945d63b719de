from transpile import cuda, native, tile


@cuda.kernel
def threads(n: int, x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    a = native.load(x, width=4)
    b = native.load(x, width=4) + 1.0
    c, d, e = native.load(x, width=3)
    f, g = native.load(x, width=n)
    native.store(y, (1.0, 2.0, 3.0))
    native.store(y, (1.0,))
    h, i = native.load(x, 32)
    native.load(x, width=2)
    native.store(y, (1, 2, 3, 4, 5, 6, 7, 8))


@tile.kernel
def tiles(x: native.ptr[native.f32]) -> None:
    a, b = native.load(x, width=2)
    native.store(x, (a, b))
