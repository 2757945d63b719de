from transpile import cuda, native


@cuda.kernel
def forms(n: float) -> None:
    a = cuda.shared[float, n]()
    b = cuda.shared[float, 0]()
    c = native.stack_alloc[float](2.5)
    d = native.stack_alloc[float]()
    e = cuda.shared[float, 4](4)
