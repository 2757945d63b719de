from transpile import cuda, native


@cuda.kernel
def power(p: float, x: native.ptr[float]) -> None:
    native.store(x, native.load(x) ** p)
