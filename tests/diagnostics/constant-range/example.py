from transpile import cuda, native


@cuda.kernel
def big(x: native.ptr[native.i32]) -> None:
    native.store(x, native.load(x) + 5_000_000_000)
