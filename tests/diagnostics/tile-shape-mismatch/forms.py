from transpile import cuda, native, tile


@cuda.device
def dev(v: float, u: float) -> float:
    return v * u


@tile.kernel
def one_lane(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(64)) - tile.load(x, tile.arange(1))
    tile.store(y, tile.arange(64), t)


@tile.kernel
def call(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.load(x, tile.arange(64))
    tile.store(y, tile.arange(64), dev(t, tile.arange(32)))


@tile.kernel
def mask(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    lane = tile.arange(64)
    small = tile.arange(32) < 7
    tile.store(y, lane, tile.load(x, lane, small))


@tile.kernel
def value(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.store(y, tile.arange(64), tile.load(x, tile.arange(128)))
