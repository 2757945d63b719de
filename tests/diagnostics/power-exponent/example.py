from transpile import cuda, native


@cuda.kernel
def power(n: int, x: native.ptr[int]) -> None:
    native.store(x, native.load(x) ** n)
