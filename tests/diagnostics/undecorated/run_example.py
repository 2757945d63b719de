from transpile import native, tile


def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)


tile.launch(tile.kernel(fill), 1, native.stack_alloc[float](1))
