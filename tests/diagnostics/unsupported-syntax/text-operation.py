from transpile import cuda


@cuda.kernel
def kernel(n: int) -> None:
    print("n: %d" % n)
    print("n: " + str(n))
    print("n: {}".format(n))
