from transpile import cuda, native, tile


@cuda.device
def told(v: float) -> float:
    print(v)
    return v


@cuda.device
def twice(v: float) -> float:
    return told(v) * 2.0


@tile.kernel
def kernel(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.map(twice, tile.load(x, lane)))
    tile.store(x, 0, twice(1.0))
