from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    part = x[0:n]
