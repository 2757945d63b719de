from transpile import cuda, native, tile


@cuda.device
def dev(v: float, i: int) -> float:
    return v * i


@cuda.kernel
def forms(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    b = dev(a)
    c = dev(a, 1, 2)
    d = dev(a, v=a)
    e = max(n)
    f = round(a, 2)
    g = abs()
    native.store(y)


@cuda.kernel
def fill(y: native.ptr[float]) -> None:
    native.store(y, 1.0)


def launched(y: native.ptr[float]) -> None:
    cuda.launch(fill, 1, 32, y, stream=0)
    cuda.launch(fill, 1, 32, y, threads=7)


@tile.kernel
def tiles(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.map(dev, 1.0)
    u = min(tile.arange(8))
    v = tile.sum(tile.arange(8), axis=0)
