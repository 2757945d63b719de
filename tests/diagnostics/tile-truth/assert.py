from transpile import native, tile


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(8))
    assert t > 0.0, "every lane"
    assert tile.all(t > 0.0), "every lane"
