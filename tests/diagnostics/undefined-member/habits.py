from transpile import native, tile


@tile.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    tile.device_print("n", n)
    native.printf("n")
    tile.static_assert(n > 0)
    tile.debug_barrier()
    tile.store(x, 0, tile.broadcast_to(n, 8))
