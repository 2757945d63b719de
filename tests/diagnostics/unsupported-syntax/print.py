from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, n)


def run(n: int, x: native.ptr[float]) -> None:
    print(n)
    tile.launch(kernel, 1, n, x)
