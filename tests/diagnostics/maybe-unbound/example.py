from transpile import cuda, native


@cuda.kernel
def last(n: int, x: native.ptr[int]) -> None:
    for i in range(n):
        found = i * 2
    native.store(x, found)
