from transpile import cuda, native


@cuda.kernel
def rows(x: native.ptr[float]) -> None:
    tile = cuda.shared[float, 8, 9]()
    flat = cuda.shared[float, 8]()
    t = cuda.thread_id()
    native.store(native.offset(tile, t), 1.0)
    native.store(native.offset(flat, t, 0), 1.0)
    native.store(native.offset(x, t, t), 1.0)
    native.store(native.offset(native.offset(tile, t, t), 1, 2), 1.0)
    native.store(native.offset(tile, t, 0.5), 1.0)
