from transpile import cuda, native


@cuda.kernel
def rows(n: int, x: native.ptr[float]) -> None:
    a = cuda.shared[float, 8, n]()
    b = cuda.shared[float, 0, 8]()
