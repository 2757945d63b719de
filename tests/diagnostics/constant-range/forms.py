from transpile import cuda, native


@cuda.kernel
def forms(n: int, w: native.i32, a: float, z: native.ptr[native.i32]) -> None:
    u = n + 2**64
    v = 1 << 63
    r = 1 << 100_000
    s = a * 10**25
    narrow: native.i32 = 3_000_000_000
    native.store(z, 2_147_483_648)
