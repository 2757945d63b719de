"""How values become variables: shared by what one name takes, copies in order, constants where nothing is assigned."""

from transpile import cuda, native


@cuda.device
def swapping(n: int, a: float, b: float) -> float:
    for _ in range(n):
        a, b = b, a + b
    return a - b


@cuda.device
def rotating(n: int, a: float, b: float, c: float) -> float:
    x, y, z = a, b, c
    while n > 0:
        x, y, z = y, z, x
        n -= 1
    return x + 2.0 * y + 4.0 * z


@cuda.device
def branching(a: float, b: float) -> float:
    if a < b:
        low, high = a, b
    else:
        low, high = b, a
    if low < 0.0:
        return -high
    total = 0.0
    total += low
    total = total * high
    return total - 1.0


@cuda.device
def leaving(n: int, limit: int) -> int:
    best = 0
    for i in range(0, n, 3):
        if i * i > limit:
            break
        if i % 2 == 0:
            continue
        best = i
    return best


@cuda.device
def stepping(start: int, stop: int, step: int) -> int:
    last = -1
    for i in range(start, stop, step):
        last = i
    for i in range(stop, start, -1):
        last += i
    return last


@cuda.kernel
def all_of_them(n: int, x: native.const_ptr[float], out: native.ptr[float], counts: native.ptr[int]) -> None:
    i = cuda.global_id()
    if i >= n:
        return
    a = native.load(native.offset(x, i))
    b = a if i == 0 else native.load(native.offset(x, i - 1))
    native.store(native.offset(out, i), swapping(i, a, b) + rotating(i % 5, a, b, a * b) * branching(a, b))
    native.store(native.offset(counts, i), leaving(n, i) + stepping(i, n, i - 3) % 100)
    int = i + 1
    near = native.load(native.offset(x, i)) + native.load(native.offset(x, (int - 1) // 2)) * 2.0
    if near > 1.0 and native.load(native.offset(x, i // 2)) > 0.0:
        native.store(native.offset(out, i), near)
