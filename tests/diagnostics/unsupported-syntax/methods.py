import numpy as np

from transpile import native, tile


@tile.kernel
def kernel(x: native.const_ptr[native.f32], out: native.ptr[native.f16]) -> None:
    t = tile.load(x, tile.arange(8))
    tile.store(out, tile.arange(8), t.astype(native.f16))
    tile.store(out, 0, tile.load(x, tile.arange(8)).sum())
    tile.store(out, 0, tile.cast(t, np.float16))
    tile.store(out, 0, np.pi)


def run(x: native.const_ptr[native.f32], out: native.ptr[native.f16]) -> None:
    kernel[1](x, out)
