from transpile import native, tile


@tile.kernel
def forms(n: int, m: native.ptr[bool], z: native.ptr[native.i32]) -> None:
    lane = tile.arange(8)
    tile.store(m, lane, lane)
    tile.store(z, 0, n / 2)
    t = tile.load(z, lane, lane < 3, 1.5)
    native.store(m, 1)
