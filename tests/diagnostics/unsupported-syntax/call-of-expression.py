from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    (n + 1)(x)
    native.load(x)(1)
    x[0](n)
