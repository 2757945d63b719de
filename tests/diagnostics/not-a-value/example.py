from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, tile.program_id, 1.0)
