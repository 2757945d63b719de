from transpile import native, tile

T = native.TypeVar("T", int, native.f32, float)


@tile.kernel
def odd(x: native.ptr[T]) -> None:
    tile.store(x, 1, tile.load(x, 0) & 1)
