from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    total = tile.load(x, lane).sum()
    other = lane.max()
