from transpile import native, tile


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    print("loaded", tile.load(x, tile.arange(32)))
