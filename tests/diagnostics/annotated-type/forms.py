from transpile import cuda, native


@cuda.kernel
def forms(n: int, h: native.f32) -> None:
    u: float = h
    u: int = 2
    v: native.static[int] = 3
    r: native.f32 = 1.5
    r = n / 2
