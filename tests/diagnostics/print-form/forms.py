from transpile import cuda, native


@cuda.kernel
def kernel(n: int, a: float, b: bool, x: native.ptr[native.f32]) -> None:
    print(f"{n:.2f} {n:x} {n:,} {n:^8} {n:1000d}")
    print(f"{a:.3} {a:08.2f} {a:d} {a:*>8.1f} {native.load(x):_}")
    print(f"{b:s} {b:5}")
