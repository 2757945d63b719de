from transpile import native, tile

T = native.TypeVar("T", native.f32, float)


@tile.kernel
def fill(a: T, x: native.ptr[float]) -> None:
    tile.store(x, 0, a)


@tile.kernel
def narrow(x: native.ptr[float]) -> None:
    tile.store(x, 0, tile.cast(tile.load(x, 1), T))
