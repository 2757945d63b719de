from transpile import cuda, native


@cuda.kernel
def forms(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    if x:
        native.store(y, 1.0)
    while not y:
        pass
    p = -x
    v = native.where(True, x, y)
    u = native.cast(x, int)
    r = x**2
    s = max(x, y)
    native.store(y, x)
