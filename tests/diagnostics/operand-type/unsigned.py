from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.const_ptr[native.u64], out: native.ptr[native.u64]) -> None:
    lane = tile.arange(32)
    values = tile.load(x, lane)
    tile.store(out, lane, values + lane)
    tile.store(out, lane, values % n)
    tile.store(out, lane, tile.where(lane > 3, values, lane))
