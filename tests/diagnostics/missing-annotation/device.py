from transpile import cuda


@cuda.device
def half(x) -> float:
    return x * 0.5
