from transpile import cuda, native


@cuda.device
def dev(v: float) -> float:
    return v


@cuda.kernel
def forms(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    u = float
    v = dev
    r = cuda.syncthreads()
    s = native.store(y, 1.0)
    t = divmod(7, 2)
