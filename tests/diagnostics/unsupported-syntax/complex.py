from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    z = 2j
    w = complex(1.0, 2.0)
