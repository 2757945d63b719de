from transpile import cuda, native, tile


@cuda.device
def act(x: native.f32) -> native.f32:
    return tile.exp(x) + tile.abs(x) + tile.sqrt(x) + tile.sum(x)


@cuda.kernel
def threads(x: native.ptr[native.f32]) -> None:
    native.store(x, tile.max(native.load(x)))
    native.store(x, tile.trunc(native.load(x)))
    tile.atomic_add(x, 0, 1.0)


@tile.kernel
def tiles(x: native.ptr[native.f32]) -> None:
    cuda.atomic_add(x, 1.0)
    tile.store(x, 0, native.exp(1.0))
