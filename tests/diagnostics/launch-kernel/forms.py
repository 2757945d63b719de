from transpile import cuda, native, tile


@cuda.device
def dev(v: float) -> float:
    return v


@cuda.kernel
def thread(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    native.store(y, 1.0)


def run(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.launch(n, 1)
    tile.launch(dev, 1, 1.0)
    tile.launch(thread, 1, x, y)
    cuda.launch(thread, 1, 1, x, y)
