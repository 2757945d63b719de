from transpile import cuda, native


@cuda.device
def twice(i: int) -> int:
    return i * 2


@cuda.kernel
def apply(x: native.ptr[float]) -> None:
    native.store(x, twice(native.load(x)))
