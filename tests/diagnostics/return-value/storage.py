from transpile import cuda, native


@cuda.device
def square(x: native.f16) -> native.f16:
    return x * x


@cuda.device
def more(x: native.u8) -> native.u8:
    return x + 1
