from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    print(f"share {tile.load(x, 0) / n:.1%}")
