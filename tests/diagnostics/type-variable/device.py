from transpile import cuda, native

T = native.TypeVar("T", native.f32, float)


@cuda.device
def twice(v: T) -> T:
    return v + v
