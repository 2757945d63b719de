"""Kernels of both kinds that print and assert: see tests/run/test_reports.py."""

import math

from transpile import cuda, native, tile

LIMIT = 100.0


@cuda.device
def root(v: float) -> float:
    assert v >= 0.0, "no \"root\": 100%"
    if v == 0.0:
        print("nothing")
        return 0.0
    print("root of", v)
    return math.sqrt(v)


@cuda.device
def sums(v: float, n: int) -> float:
    total = 0.0
    for k in range(n):
        total += root(v + k)
        assert total < LIMIT
    return total


@tile.kernel
def forms(i: native.i32, n: int, u: native.u32, w: native.u64, a: float, b: native.f32, flag: bool) -> None:
    print()
    print("100% \"é\" ??=", i, n, u, w, a, b, flag, 2, -0.5, True, sep="|")
    print(f"{i:5d}|{n:<22d}|{n:+d}|{u:x}|{w:X}|{u:08d}|{flag:d}")
    print(f"{a:.3f}|{a:12.4e}|{a:<12.3g}|{b:G}|{b:+.2f}|{b:15}|{{}}|{i=}", end=".\n")


@tile.kernel
def rows(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    row = tile.program_id()
    at = row * 64 + tile.arange(64)
    t = tile.load(x, at, at < n)
    largest = tile.max(t)
    print("largest", largest)
    assert tile.all(t <= LIMIT) and largest > -LIMIT, "out of range"
    total = 0.0
    for k in range(3):
        total += tile.sum(t) + root(largest) * k
        print(f"turn {k}: {total:.6g}")
    if row == 1:
        print("I am the second")
        root(total * 0.0 + 4.0)
    tile.store(out, row, sums(total * 0.0, 2) + total)


@tile.kernel
def grid(out: native.ptr[native.i32]) -> None:
    x, y = tile.program_id(), tile.program_id(1)
    print("here", root(float(x)))
    assert x < 2 or y < 1
    tile.store(out, x + y * 3, 1)


@cuda.kernel
def meet(n: int, x: native.const_ptr[native.i32], out: native.ptr[native.i32]) -> None:
    held = cuda.shared[native.i32, 64]()
    t = cuda.thread_id()
    i = cuda.global_id()
    v = native.load(native.offset(x, i))
    if v % 3 == 0:
        print(f"thread {t} has {v}")
    assert v >= 0 and v < n, "index"
    native.store(native.offset(held, t), v)
    cuda.syncthreads()
    w = cuda.shfl_xor(native.load(native.offset(held, (t + 1) % 64)), 1)
    if t == 5:
        print("received", w)
    native.store(native.offset(out, v), w)


@cuda.kernel
def turns(n: int, out: native.ptr[float]) -> None:
    k = 0
    while True:
        assert k < n, "too many turns"
        if sums(float(k), 2) > 3.0:
            break
        k += 1
    native.store(native.offset(out, cuda.global_id()), float(k) + cuda.thread_id(1))
