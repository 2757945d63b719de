"""Arrays of a block with rows, and arrays of a thread, of every width, with indices that only the run knows."""

from transpile import cuda, native


@cuda.kernel
def transpose(rows: int, columns: int, x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    parked = cuda.shared[native.f32, 16, 17]()
    i, j = cuda.thread_id(), cuda.thread_id(1)
    column, row = cuda.block_id() * 16 + i, cuda.block_id(1) * 16 + j
    if row < rows and column < columns:
        native.store(native.offset(parked, j, i), native.load(native.offset(x, row * columns + column)))
    cuda.syncthreads()
    row, column = cuda.block_id() * 16 + j, cuda.block_id(1) * 16 + i
    if row < columns and column < rows:
        native.store(native.offset(y, row * rows + column), native.load(native.offset(parked, i, j)))


@cuda.kernel
def two_of_them(n: int, x: native.const_ptr[native.u8], y: native.ptr[int]) -> None:
    """Counts in rows, one column for each thread, added up over the columns."""
    counts = cuda.shared[native.i32, 4, 32]()
    marks = cuda.shared[native.u8, 4, 32]()
    t = cuda.thread_id()
    for row in range(4):
        native.store(native.offset(counts, row, t), 0)
        native.store(native.offset(marks, row, t), 0)
    for k in range(n):
        v = native.load(native.offset(x, t * n + k))
        slot = native.offset(counts, v % 4, t)
        native.store(slot, native.load(slot) + 1)
        native.store(native.offset(marks, v % 4, t), v)
    cuda.syncthreads()
    if t < 4:
        total = 0
        for column in range(32):
            total += native.load(native.offset(counts, t, column)) * 256
            total += native.load(native.offset(marks, t, column))
        native.store(native.offset(y, cuda.block_id() * 4 + t), total)


@cuda.kernel
def sorted_each(x: native.const_ptr[float], y: native.ptr[float], order: native.ptr[native.u8]) -> None:
    """Each thread sorts eight numbers of its own, and remembers whence they came."""
    mine = native.stack_alloc[float](8)
    whence = native.stack_alloc[native.u8](8)
    base = cuda.global_id() * 8
    for k in range(8):
        native.store(native.offset(mine, k), native.load(native.offset(x, base + k)))
        native.store(native.offset(whence, k), k)
    for k in range(1, 8):
        j = k
        while j > 0 and native.load(native.offset(mine, j - 1)) > native.load(native.offset(mine, j)):
            a, b = native.load(native.offset(mine, j - 1)), native.load(native.offset(mine, j))
            native.store(native.offset(mine, j - 1), b)
            native.store(native.offset(mine, j), a)
            p, q = native.load(native.offset(whence, j - 1)), native.load(native.offset(whence, j))
            native.store(native.offset(whence, j - 1), q)
            native.store(native.offset(whence, j), p)
            j -= 1
    for k in range(8):
        native.store(native.offset(y, base + k), native.load(native.offset(mine, k)))
        native.store(native.offset(order, base + k), native.load(native.offset(whence, k)))


@cuda.kernel
def of_every_width(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    """What is stored in an array of a thread is narrowed as in any other; it starts as zeros, and lives across barriers
    and in turns of a loop."""
    i = cuda.global_id()
    bytes_ = native.stack_alloc[native.i8](5)
    shorts = native.stack_alloc[native.u16](5)
    words = native.stack_alloc[native.u32](5)
    halves = native.stack_alloc[native.f16](5)
    brains = native.stack_alloc[native.bf16](5)
    singles = native.stack_alloc[native.f32](5)
    flags = native.stack_alloc[bool](5)
    passed = cuda.shared[float, 2, 32]()
    for k in range(n):
        v = native.load(native.offset(x, i * n + k))
        at = (i + k * k) % 5
        native.store(native.offset(bytes_, at), int(v * 100.0))
        native.store(native.offset(shorts, at), int(v * 10_000.0))
        native.store(native.offset(words, at), int(v * 3e9))
        native.store(native.offset(halves, at), v)
        native.store(native.offset(brains, at), v)
        native.store(native.offset(singles, at), v)
        native.store(native.offset(flags, at), v > 0.0)
        native.store(native.offset(passed, k % 2, cuda.thread_id()), native.load(native.offset(halves, (at + 1) % 5)))
        cuda.syncthreads()
        got = native.load(native.offset(passed, k % 2, cuda.block_dim() - 1 - cuda.thread_id()))
        native.store(native.offset(singles, (at + 2) % 5), got)
    total = 0.0
    for k in range(5):
        total = total + float(native.load(native.offset(bytes_, k))) + float(native.load(native.offset(shorts, k)))
        total = total + float(native.load(native.offset(words, k))) * 0.5 + float(native.load(native.offset(halves, k)))
        total = total + float(native.load(native.offset(brains, k))) - float(native.load(native.offset(singles, k)))
        if native.load(native.offset(flags, k)):
            total = total * 0.75
    native.store(native.offset(y, i), total)
