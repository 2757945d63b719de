from transpile import cuda, native


@cuda.kernel
def rows(x: native.ptr[float]) -> None:
    a = cuda.shared[float, 8, 8, 8]()
    b = cuda.shared[float]()
    c = native.stack_alloc[float, 8](8)
