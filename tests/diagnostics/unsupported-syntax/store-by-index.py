from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    x[0] = 1.0
    x[n] += 2.0
