from transpile import cuda, native, tile


@cuda.kernel
def threads(z: native.ptr[int]) -> None:
    cuda.atomic_max(z, 1.5)
    cuda.atomic_cas(z, 0.5, 1)


@tile.kernel
def tiles(x: native.const_ptr[float], z: native.ptr[native.i32]) -> None:
    lane = tile.arange(8)
    tile.atomic_add(z, lane, tile.load(x, lane))
