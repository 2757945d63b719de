from transpile import cuda, native


@cuda.kernel
def double(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id() * 4
    a, b, c, d = native.load(native.offset(x, i), width=4)
    native.store(native.offset(y, i), (a * 2.0, b * 2.0, c * 2.0, d * 2.0))
