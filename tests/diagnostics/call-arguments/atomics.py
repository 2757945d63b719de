from transpile import cuda, native, tile


@cuda.kernel
def threads(z: native.ptr[int]) -> None:
    cuda.atomic_cas(z, 1)
    cuda.atomic_add(z, 1, 2)


@tile.kernel
def tiles(z: native.ptr[int]) -> None:
    tile.atomic_cas(z, tile.arange(4), 1)
    tile.atomic_add(z, tile.arange(4), 1, when=True)
