from transpile import cuda, native


@cuda.kernel
def split(n: int, x: native.ptr[int]) -> None:
    native.store(x, n // 0)
