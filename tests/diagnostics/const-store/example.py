from transpile import cuda, native


@cuda.kernel
def clear(x: native.const_ptr[float]) -> None:
    native.store(native.offset(x, cuda.global_id()), 0.0)
