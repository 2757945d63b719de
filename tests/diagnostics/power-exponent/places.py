from transpile import cuda, native, tile

ROOT = 2.0 ** 0.5


@tile.kernel
def on_tiles(n: int, x: native.ptr[int]) -> None:
    t = tile.load(x, tile.arange(64))
    tile.store(x, tile.arange(64), t ** n + pow(n, 65))
    tile.store(x, tile.arange(64), 2 ** t)


@cuda.kernel
def with_constant(x: native.ptr[float]) -> None:
    native.store(x, ROOT)


def launcher(a: float, n: int, x: native.ptr[float]) -> None:
    cuda.launch(with_constant, 1, n ** 2, x)
    cuda.launch(with_constant, pow(n, n), 32, x)
    cuda.launch(with_constant, int(a ** 0.5), 32, x)
