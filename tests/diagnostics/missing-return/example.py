from transpile import cuda


@cuda.device
def clip(v: float) -> float:
    if v > 1.0:
        return 1.0
