from transpile import cuda, native


@cuda.kernel
def half(n: int, x: native.ptr[float]) -> None:
    native.store(native.offset(x, n / 2), 0.0)
