from transpile import cuda, native


@cuda.kernel
def trade(n: int, x: native.ptr[float]) -> None:
    i = cuda.thread_id()
    v = native.load(native.offset(x, i))
    if i < n:
        v = v + cuda.shfl_xor(v, 1)
    native.store(native.offset(x, i), v)
