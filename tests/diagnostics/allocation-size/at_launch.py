from transpile import cuda, native


@cuda.kernel
def several(n: int, m: int, x: native.ptr[float]) -> None:
    a = cuda.shared[float, n]()
    b = cuda.shared[float, m]()


@cuda.kernel
def others(n: int, m: int, k: native.i32, r: float, x: native.ptr[float]) -> None:
    n += 1
    a = cuda.shared[float, n]()
    b = cuda.shared[float, 2 * m]()
    c = cuda.shared[float, k]()
    d = cuda.shared[float, r]()
    e = cuda.shared[float, m, 8]()
    f = native.stack_alloc[float](m)
