from transpile import cuda, native, tile


@cuda.kernel
def threads(y: native.ptr[float], m: native.ptr[bool]) -> None:
    mine = native.stack_alloc[int](4)
    cuda.atomic_add(mine, 1)
    cuda.atomic_or(y, 1)
    flags = cuda.shared[bool, 8]()
    cuda.atomic_cas(native.offset(flags, 2), False, True)


@tile.kernel
def tiles(y: native.ptr[float], m: native.ptr[bool]) -> None:
    lane = tile.arange(8)
    tile.atomic_xor(y, lane, 1)
    tile.atomic_exch(m, lane, True)
