from transpile import cuda, native


@cuda.kernel
def trade(x: native.ptr[float]) -> None:
    native.store(x, native.load(cuda.shfl_xor(x, 1)))
