from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    native.store(x, n(1))
