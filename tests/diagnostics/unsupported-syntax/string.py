from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    """The docstring is none of it."""
    name = "x"
    pair = "x" "y"
    tile.store(x, 0, str(n))
