from transpile import cuda, native


@cuda.kernel
def kernel(x: native.ptr[native.f16]) -> None:
    native.store(x, native.f16(native.load(x)))
