from transpile import cuda, native


@cuda.kernel
def forms(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    if i >= n:
        return
    cuda.syncthreads()


@cuda.kernel
def loops(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    for k in range(cuda.thread_id()):
        cuda.syncthreads()
    for k in range(n):
        cuda.syncthreads()
        if native.load(native.offset(x, cuda.thread_id() + k)) > 0.0:
            break
