from transpile import native, tile

T = native.TypeVar("T", native.f32, float)


@tile.kernel
def copy(x: native.const_ptr[T], y: native.ptr[T]) -> None:
    tile.store(y, 0, tile.load(x, 0))


def run(i: native.ptr[int], f: native.ptr[float], g: native.ptr[native.f32]) -> None:
    tile.launch(copy, 1, i, f)
    tile.launch(copy, 1, f, g)
    tile.launch(copy, 1, g, 1.0)
