from transpile import cuda, native, tile


@cuda.kernel
def threads(n: int, x: native.const_ptr[float]) -> None:
    cuda.atomic_add(native.offset(x, n), 1.0)


@tile.kernel
def tiles(x: native.const_ptr[float]) -> None:
    tile.atomic_add(x, tile.arange(8), 1.0)
