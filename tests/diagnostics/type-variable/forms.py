from transpile import native, tile

A = native.TypeVar("B", native.f32, float)
C = native.TypeVar("C")
D = native.TypeVar("D", native.f32, native.f32)


@tile.kernel
def fill(a: native.ptr[A], c: native.ptr[C], d: native.ptr[D]) -> None:
    tile.store(a, 0, 1.0)
