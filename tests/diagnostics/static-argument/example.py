from transpile import native, tile


@tile.kernel
def fill(size: native.static[int], x: native.ptr[float]) -> None:
    tile.store(x, tile.arange(size), 1.0)


def run(n: int, x: native.ptr[float]) -> None:
    tile.launch(fill, 1, n, x)
