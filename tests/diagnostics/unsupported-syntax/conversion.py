from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    print(f"{n!r}")
