from transpile import native, tile


@tile.kernel
def kernel(n: int, *x: native.ptr[float], **options: int) -> None:
    lane = tile.arange(32)
