from transpile import cuda, native


@cuda.kernel
def keep(n: int, x: native.ptr[int]) -> None:
    small: native.i32 = n
    native.store(x, small)
