from transpile import native, tile


@tile.kernel
def fill(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.store(y, 0, 1.0)


def run(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    b = tile.compiled(fill)
    tile.launch(fill, 1, x, y)
