"""Generic kernels for the tests of the engine: two type variables, a static parameter, and a launcher."""

from transpile import native, tile

T = native.TypeVar("T", native.f32, float, native.i32)
W = native.TypeVar("W", native.f32, float)


@tile.kernel
def scale(n: int, a: float, x: native.const_ptr[T], y: native.ptr[T]) -> None:
    """Writes a times x."""
    at = tile.program_id() * 32 + tile.arange(32)
    tile.store(y, at, tile.cast(tile.load(x, at, at < n) * a, T), at < n)


@tile.kernel
def total(cols: native.static[int], x: native.const_ptr[W], y: native.ptr[W]) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    tile.store(y, tile.program_id(), tile.sum(tile.load(x, at)))


def run(n: int, x: native.const_ptr[W], y: native.ptr[W]) -> None:
    tile.launch(total, n, 8, x, y)
    tile.launch(total, n, 4, x, y)
