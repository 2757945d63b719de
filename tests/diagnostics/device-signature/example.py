from transpile import cuda, native


@cuda.device
def first(x: native.ptr[float]) -> float:
    return 1.0
