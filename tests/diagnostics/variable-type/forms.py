from transpile import cuda, native


@cuda.kernel
def forms(n: int, x: native.ptr[float], z: native.ptr[native.i32]) -> None:
    p = x
    p = z
    v = n
    v = x
    u = cuda.shared[float, 4]()
    u = x
