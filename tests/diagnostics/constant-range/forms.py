from transpile import cuda, native, tile


@cuda.kernel
def forms(n: int, w: native.i32, a: float, z: native.ptr[native.i32]) -> None:
    u = n + 2**64
    v = 1 << 63
    r = 1 << 100_000
    s = a * 10**25
    narrow: native.i32 = 3_000_000_000
    native.store(z, 2_147_483_648)


@tile.kernel
def unsigned(x: native.const_ptr[native.u64], out: native.ptr[native.u32], narrow: native.ptr[native.u8]) -> None:
    lane = tile.arange(32)
    values = tile.load(x, lane)
    tile.store(out, lane, tile.where(values > -1, tile.load(out, lane), 4294967296))
    tile.store(narrow, lane, 256)
