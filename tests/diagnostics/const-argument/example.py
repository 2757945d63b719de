from transpile import native, tile


@tile.kernel
def fill(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, 1.0, lane < n)


def run(n: int, x: native.const_ptr[float]) -> None:
    tile.launch(fill, 1, n, x)
