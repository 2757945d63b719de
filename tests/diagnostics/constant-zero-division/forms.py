from transpile import cuda


@cuda.kernel
def forms(n: int, a: float) -> None:
    u = n % 0
    v = a // 0
    r, s = divmod(n, 1 - 1)
    n //= 0
