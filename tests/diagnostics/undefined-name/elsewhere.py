from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[native.f32]) -> None:
    native.store(x, exp(native.cast(n, float32)))
    expo = native.cast(n, float32)
    native.store(x, exp2(expo) * pi)
