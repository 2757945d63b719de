from transpile import cuda, native, tile


@cuda.device
def half(x: float) -> float:
    return x * 0.5


@tile.kernel
def module(tile: int, x: native.ptr[float]) -> None:
    t = tile.load(x, 0)
    tile.store(x, tile.size, t)


@tile.kernel
def loop(range: int, x: native.ptr[float]) -> None:
    for i in range(3):
        tile.store(x, i, 0.0)
