from transpile import cuda, native


SCALE = 2.0


@cuda.kernel
def grow(x: native.ptr[float]) -> None:
    native.store(x, native.load(x) * SCAEL)
