from transpile import cuda, native


@cuda.kernel
def bits(a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = a | 1
    u = 1 << a
    r = ~a
    native.store(y, v + u + r)
