from transpile import cuda, native


@cuda.device
def half(x: float) -> float:
    return x * 0.5


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    max = n
    half = 0.5
    native.store(x, float(max(n, 3)))
    native.store(x, half(native.load(x)))
