from transpile import cuda, native, tile


@cuda.kernel
def mixed(x: native.ptr[float]) -> None:
    native.store(x, tile.maximum(native.load(x), 0.0))
