from transpile import cuda, native


@cuda.kernel
def where(x: native.ptr[int]) -> None:
    native.store(x, cuda.thread_id(3))
