from transpile import cuda, native


@cuda.kernel
def inner(x: native.ptr[float]) -> None:
    native.store(x, 1.0)


@cuda.kernel
def outer(x: native.ptr[float]) -> None:
    inner(x)
