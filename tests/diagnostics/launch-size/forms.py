from transpile import cuda, native


@cuda.kernel
def thread(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    native.store(y, 1.0)


def run(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    cuda.launch(thread, (1, 2, 3, 4), 1, x, y)
    cuda.launch(thread, 1, (32, a), x, y)
    cuda.launch(thread, n / 2, 1, x, y)
    cuda.launch(thread, True, 1, x, y)
