from transpile import native, tile


@tile.kernel
def tiles(z: native.ptr[int]) -> None:
    lane = tile.arange(8)
    tile.atomic_add(z, 0, lane)
    tile.atomic_cas(z, 0, lane, 1)
    tile.atomic_max(z, 0, 1, lane < 3)
