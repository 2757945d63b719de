from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    where = 0
    tile.store(*lane)
    tile.store(x, **lane)
