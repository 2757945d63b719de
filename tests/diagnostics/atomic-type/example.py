from transpile import cuda, native


@cuda.kernel
def mark(seen: native.ptr[bool]) -> None:
    cuda.atomic_max(seen, True)
