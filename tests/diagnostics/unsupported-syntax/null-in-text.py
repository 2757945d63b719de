from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    print("a\0b")
    print(f"a\0{n}")
