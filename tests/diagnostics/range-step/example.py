from transpile import cuda, native


@cuda.kernel
def count(n: int, x: native.ptr[float]) -> None:
    for i in range(0, n, 0):
        native.store(native.offset(x, i), 0.0)
