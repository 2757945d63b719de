from transpile import native, tile

TOTAL = 0


@tile.kernel
def count(x: native.ptr[int]) -> None:
    TOTAL += 1
    tile.store(x, 0, TOTAL)
