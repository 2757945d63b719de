"""The kernels that the programs here launch."""

from transpile import native, tile


@tile.kernel
def saxpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    offsets = tile.program_id() * 256 + tile.arange(256)
    mask = offsets < n
    xs = tile.load(x, offsets, mask)
    ys = tile.load(y, offsets, mask)
    tile.store(y, offsets, a * xs + ys, mask)


@tile.kernel
def wild(n: int, x: native.ptr[float]) -> None:
    tile.store(x, n, 1.0)


@tile.kernel(alias=True)
def shift(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    at = tile.program_id()
    tile.store(y, at, tile.load(x, at) + 1.0)


def twice(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.launch(saxpy, (n + 255) // 256, n, a, x, y)
    tile.launch(saxpy, (n + 255) // 256, n, a, x, y)
