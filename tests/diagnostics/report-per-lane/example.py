from transpile import cuda, native, tile


@cuda.device
def root(v: float) -> float:
    assert v >= 0.0
    return v


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, root(tile.load(x, lane)))
