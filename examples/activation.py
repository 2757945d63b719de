"""Scalar functions over tiles and arrays: SiLU with a scale and a bias, four values a thread; and an affine map that is
staged through shared memory, where each thread reads what its neighbour wrote.

To see it:
    python examples/activation.py
    python -m transpile run examples/activation.py --target cpu
    python -m transpile emit cuda examples/activation.py
"""

import math

from transpile import cuda, native, tile


@cuda.device
def silu_affine(x: native.f32, scale: native.f32, bias: native.f32) -> native.f32:
    y = x / (1.0 + math.exp(-x))
    return y * scale + bias


@tile.kernel
def activation(x: native.const_ptr[native.f32], out: native.ptr[native.f32]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    values = tile.load(x, at)
    values = silu_affine(values, 2.0, 1.0)
    tile.store(out, at, values)


@cuda.device
def affine(x: native.f32) -> native.f32:
    return x * 2.0 + 1.0


@cuda.kernel
def shared_affine(x: native.const_ptr[native.f32], out: native.ptr[native.f32]) -> None:
    rows = cuda.shared[native.f32, 256]()
    tid = cuda.thread_id()
    mine = native.offset(rows, tid * 4)
    for j in range(4):
        native.store(native.offset(mine, j), native.load(native.offset(x, tid * 4 + j)))
    cuda.syncthreads()
    for j in range(4):
        slot = native.offset(mine, j)
        native.store(slot, affine(native.load(slot)))
    cuda.syncthreads()
    theirs = native.offset(rows, (tid + 1) % 64 * 4)
    for j in range(4):
        native.store(native.offset(out, tid * 4 + j), native.load(native.offset(theirs, j)))


def run(x: native.const_ptr[native.f32], activated: native.ptr[native.f32], mapped: native.ptr[native.f32]) -> None:
    tile.launch(activation, 1, x, activated)
    cuda.launch(shared_affine, 1, 64, x, mapped)


def main() -> None:
    x = native.stack_alloc[native.f32](256)
    activated = native.stack_alloc[native.f32](256)
    mapped = native.stack_alloc[native.f32](256)
    for i in range(256):
        native.store(native.offset(x, i), i / 64 - 2.0)
    run(x, activated, mapped)
    print([round(native.load(native.offset(activated, i)), 6) for i in (0, 100, 128, 255)])
    print([native.load(native.offset(mapped, i)) for i in (0, 3, 4, 252, 255)])
    print(f"# ran on: {tile.target(activation)}; compiled: {tile.compiled(activation)}")


if __name__ == "__main__":
    main()
