from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    print(n, n, sep=n)
    print(n, end=f"{n}")
