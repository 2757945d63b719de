from transpile import cuda, native


@cuda.kernel
def shift(x: native.ptr[native.f32]) -> None:
    a, b, c, d = native.load(native.offset(x, 1), width=4)
    native.store(x, (a, b, c, d))


cuda.launch(shift, 1, 1, native.stack_alloc[native.f32](8))
