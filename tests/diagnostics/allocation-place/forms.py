from transpile import cuda, native, tile


@tile.kernel
def inside(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    u = native.stack_alloc[float](8)
    v = cuda.device_alloc[float](8)


@cuda.kernel
def thread(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = cuda.device_alloc[float](8)


def run(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = cuda.device_alloc[float](8)
    tile.launch(inside, 1, x, y)
