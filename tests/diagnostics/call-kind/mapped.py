import math

from transpile import native, tile


def plain(v: float) -> float:
    return v * 2.0


@tile.kernel
def mapped(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    at = tile.arange(8)
    t = tile.map(plain, tile.load(x, at))
    u = tile.map(math.exp, tile.load(x, at))
    v = tile.map(tile.sqrt, tile.load(x, at))
    w = tile.map(2.0, tile.load(x, at))
    tile.store(y, at, w)
