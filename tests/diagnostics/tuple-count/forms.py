from transpile import cuda


@cuda.kernel
def forms(n: int) -> None:
    a, b = n
    c, d, e = divmod(n, 3)
    f, g = n, n, n
