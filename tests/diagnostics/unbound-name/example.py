from transpile import cuda, native


@cuda.kernel
def early(x: native.ptr[float]) -> None:
    native.store(x, value)
    value = 1.0
