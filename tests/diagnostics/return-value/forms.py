from transpile import cuda, native


@cuda.device
def dev(v: float) -> int:
    if v > 1.0:
        return
    if v > 0.5:
        return v / 2
    return 1.5


@cuda.kernel
def kernel(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    return 1.0


def run(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    cuda.launch(kernel, 1, 1, x, y)
    return 3
