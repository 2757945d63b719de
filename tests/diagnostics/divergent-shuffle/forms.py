from transpile import cuda, native


@cuda.kernel
def forms(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = cuda.thread_id()
    v = native.load(native.offset(x, t))
    if cuda.shfl_xor(v, 1) > v:
        v = cuda.shfl_down(v, 2)
    if t // 32 == 0:
        cuda.syncwarp()
    if t < 16:
        cuda.syncwarp()
    native.store(native.offset(y, t), v)
