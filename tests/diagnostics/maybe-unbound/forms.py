from transpile import cuda, native


@cuda.kernel
def forms(n: int, b: bool, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    if b:
        u = 1.0
    elif n > 3:
        u = 2.0
    native.store(y, u)
    while n > 0:
        v = n
        n -= 1
    native.store(y, v)
    for i in range(4):
        if b:
            break
        r = i
    native.store(y, r)
    for j in range(n):
        pass
    native.store(y, j)
