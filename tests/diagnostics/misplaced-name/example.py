from transpile import cuda, native


@cuda.kernel
def kernel(x: native.ptr[float]) -> None:
    buffer = cuda.shared(64)
    native.store(x, 1.0)
