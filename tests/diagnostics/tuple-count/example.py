from transpile import cuda, native


@cuda.kernel
def pair(n: int, x: native.ptr[int]) -> None:
    a, b = n, n + 1, n + 2
    native.store(x, a + b)
