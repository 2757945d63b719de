from transpile import native, tile


@tile.kernel
def total(x: native.ptr[float]) -> None:
    acc = 0.0
    for k in range(4):
        acc = acc + tile.load(x, k * 32 + tile.arange(32))
    tile.store(x, tile.arange(32), acc)
