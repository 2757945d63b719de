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


@tile.kernel
def halves(one: native.f16, x: native.const_ptr[native.f16], y: native.ptr[native.bf16]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    tile.store(y, at, tile.load(x, at) + one)


@tile.kernel
def eights(x: native.const_ptr[native.f8e4m3], y: native.ptr[native.f8e5m2]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    tile.store(y, at, tile.load(x, at) * 2.0)


@tile.kernel
def naturals(x: native.const_ptr[native.u16], y: native.ptr[native.u32], z: native.ptr[native.u64]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    product = tile.cast(tile.load(x, at), native.u32) * 65537
    tile.store(y, at, product)
    tile.store(z, at, tile.cast(product, native.u64) * 4294967297)


def twice(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.launch(saxpy, (n + 255) // 256, n, a, x, y)
    tile.launch(saxpy, (n + 255) // 256, n, a, x, y)
