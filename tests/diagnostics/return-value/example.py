from transpile import cuda


@cuda.device
def whole(v: float) -> int:
    return v
