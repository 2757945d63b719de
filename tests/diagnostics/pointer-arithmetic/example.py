from transpile import cuda, native


@cuda.kernel
def step(x: native.ptr[float]) -> None:
    native.store(x + 1, 0.0)
