from transpile import cuda, native


@cuda.kernel
def forms(n: int, b: bool, x: native.ptr[float], y: native.ptr[float]) -> None:
    p = x
    if b:
        p = native.offset(y, 1)
    u = x if b else 1.0
    src = x
    dst = y
    for i in range(n):
        src, dst = dst, src
