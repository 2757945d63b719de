from transpile import cuda, native, tile


@tile.kernel
def inner(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.store(y, 0, 1.0)


@cuda.kernel
def thread(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    inner(x, y)
    run(x, y)


@tile.kernel
def mapped(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.map(1.0, tile.arange(8))
    u = tile.map(inner, tile.arange(8))


def run(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    inner(x, y)
    tile.launch(inner, 1, x, y)
