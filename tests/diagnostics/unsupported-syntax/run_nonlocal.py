from transpile import native, tile


def make():
    count = 0

    @tile.kernel
    def kernel(x: native.ptr[float]) -> None:
        nonlocal count

    return kernel


tile.launch(make(), 1, native.stack_alloc[float](1))
