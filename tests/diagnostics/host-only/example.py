from transpile import native, tile


@tile.kernel
def fill(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, 1.0, lane < n)


@tile.kernel
def ask(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0 if tile.compiled(fill) else 0.0)
