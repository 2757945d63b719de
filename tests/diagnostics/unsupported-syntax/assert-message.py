from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    assert n > 0, f"{n} is too small"
    assert n > 1, n
    assert (n > 2, "a tuple is always true")
