from transpile import cuda, native


@cuda.kernel
def forms(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    a = cuda.shfl(x, 1)
    b = cuda.shfl_up(n, 0.5)
    c = cuda.shfl_down(n, True)
