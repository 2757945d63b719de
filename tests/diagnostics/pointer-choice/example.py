from transpile import cuda, native


@cuda.kernel
def either(b: bool, x: native.ptr[float], y: native.ptr[float]) -> None:
    p = x if b else y
    native.store(p, 1.0)
