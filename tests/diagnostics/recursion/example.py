from transpile import cuda, native


@cuda.device
def factorial(n: int) -> int:
    return 1 if n < 2 else n * factorial(n - 1)
