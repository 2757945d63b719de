from transpile import cuda, native


@cuda.kernel
def threads(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    a, b, c = native.load(x, width=4)
    native.store(y, a)
