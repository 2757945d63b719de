from transpile import cuda, native


@cuda.kernel
def shift(n: int, x: native.ptr[int]) -> None:
    native.store(x, n << -1)
