"""Kernels of both kinds that print and assert, for the texts beside this file."""

from transpile import cuda, native, tile


@cuda.device
def portion(part: float, whole: float) -> float:
    assert whole > 0.0, "nothing to share"
    return part / whole


@tile.kernel
def shares(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    t = tile.load(x, at, at < n)
    assert tile.all(t >= 0.0)
    print("largest", tile.max(t), "of", n)
    tile.store(out, tile.program_id(), portion(tile.max(t), tile.sum(t)))


@cuda.kernel
def scatter(n: int, to: native.const_ptr[int], x: native.const_ptr[float], out: native.ptr[float]) -> None:
    i = cuda.global_id()
    slot = native.load(native.offset(to, i))
    assert 0 <= slot < n, "no slot of the array"
    if slot == 0:
        print(f"first: {native.load(native.offset(x, i)):.3f}")
    native.store(native.offset(out, slot), portion(native.load(native.offset(x, i)), 2.0))
