from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    first = x[0]
    i = 3
    other = x[i] + x[n - 1]
