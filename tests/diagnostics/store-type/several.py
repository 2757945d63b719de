from transpile import cuda, native


@cuda.kernel
def threads(x: native.ptr[native.i32]) -> None:
    a, b = native.load(x, width=2)
    native.store(x, (a * 0.5, b))
