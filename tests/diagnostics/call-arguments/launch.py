from transpile import cuda, native, tile


@tile.kernel
def ones(n: int, x: native.ptr[float]) -> None:
    tile.store(x, tile.arange(8), 1.0, tile.arange(8) < n)


@cuda.kernel
def one(x: native.ptr[float]) -> None:
    native.store(x, 1.0)


def run(n: int, x: native.ptr[float]) -> None:
    tile.launch(ones, 1, n=n, x=x)
    cuda.launch(one, grid=1, block=1, x=x)
