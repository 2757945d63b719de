from transpile import native, tile


def bias(v: float) -> float:
    return v + 0.5


@tile.kernel
def shift(a: float, x: native.ptr[float]) -> None:
    tile.store(x, 0, bias(a))
