from transpile import cuda, native


@cuda.device
def dev(v: native.f32, i: int, flag: bool) -> float:
    return v


@cuda.kernel
def inner(n: native.i32, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    native.store(y, n)


@cuda.kernel
def forms(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    a = dev(native.load(x), 1, True)
    b = dev(1.0, 0.5, True)
    c = dev(1.0, 1, n)
    d = dev(x, 1, True)


def run(n: int, a: float, z: native.ptr[native.i32], x: native.const_ptr[float], y: native.ptr[float]) -> None:
    cuda.launch(inner, 1, 1, n, x, y)
    cuda.launch(inner, 1, 1, 1, x, z)
    cuda.launch(inner, 1, 1, x, n, y)
