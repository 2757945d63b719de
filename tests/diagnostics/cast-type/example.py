from transpile import cuda, native


@cuda.kernel
def narrow(n: int, x: native.ptr[float]) -> None:
    native.store(x, native.cast(n, 32))
