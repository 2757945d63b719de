"""How a block's threads are walked by one: splits at barriers and shuffles, what is uniform, what is kept."""

from transpile import cuda, native


@cuda.kernel
def tree(x: native.const_ptr[float], out: native.ptr[float]) -> None:
    parked = cuda.shared[float, 64]()
    t = cuda.thread_id()
    native.store(native.offset(parked, t), native.load(native.offset(x, cuda.global_id())))
    half = cuda.block_dim() // 2
    while half > 0:
        cuda.syncthreads()
        if t < half:
            slot = native.offset(parked, t)
            native.store(slot, native.load(slot) + native.load(native.offset(parked, t + half)))
        half = half // 2
    cuda.syncthreads()
    if t == 0:
        native.store(native.offset(out, cuda.block_id()), native.load(parked))


@cuda.kernel
def butterfly(x: native.const_ptr[float], out: native.ptr[float]) -> None:
    i = cuda.global_id()
    total = native.load(native.offset(x, i))
    step = 16
    while step > 0:
        total = total + cuda.shfl_xor(total, step)
        step = step // 2
    if cuda.thread_id() // 32 == 1:
        total = total + cuda.shfl_down(total, 3)
        cuda.syncwarp()
    native.store(native.offset(out, i), total - cuda.shfl(total, 5) + cuda.shfl_up(total, i % 7))


@cuda.kernel
def leaves_early(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    t = cuda.thread_id()
    mine = native.stack_alloc[float](3)
    for k in range(3):
        native.store(native.offset(mine, k), native.load(native.offset(x, t)) * k)
    if n > 3:
        cuda.syncthreads()
        if t % 3 == 1:
            return
        for k in range(5):
            if native.load(native.offset(x, t + k)) < 2.0:
                return
            native.store(native.offset(mine, k % 3), 1.0)
    total = 0.0
    for k in range(3):
        total += native.load(native.offset(mine, k))
    native.store(native.offset(out, t), total)


@cuda.kernel
def skips(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    t = cuda.thread_id() + cuda.block_dim() * cuda.thread_id(1)
    total = native.load(native.offset(x, t))
    pointer = native.offset(x, t)
    for i in range(n):
        cuda.syncthreads()
        total += native.load(pointer)
        if t % 3 == 1:
            continue
        total += 2.0
        native.store(native.offset(out, t), total)
        pointer = native.offset(pointer, i % 2)
    native.store(native.offset(out, t), total)
