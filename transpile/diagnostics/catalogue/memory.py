"""Rows of the catalogue: pointers, loads, stores and allocations."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

MEMORY: Final[tuple[Entry, ...]] = (
    Entry(
        code="not-a-pointer",
        title="an access through something that is no pointer",
        explanation="Loads, stores and `native.offset` take a pointer first, then offsets that count elements.",
        example="""\
from transpile import native, tile


@tile.kernel
def swapped(x: native.ptr[float]) -> None:
    tile.store(tile.arange(32), x, 1.0)
""",
        fix="`tile.store(x, tile.arange(32), 1.0)`.",
    ),
    Entry(
        code="offset-type",
        title="an offset that is no integer",
        explanation="""\
Offsets count elements and are integers. `native.offset` moves a pointer by one number; a tile of offsets belongs to
the load or store.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def half(n: int, x: native.ptr[float]) -> None:
    native.store(native.offset(x, n / 2), 0.0)
""",
        fix="Divide with `//`, or convert with `int`.",
    ),
    Entry(
        code="const-store",
        title="a store through a const pointer",
        explanation="""\
What `native.const_ptr` points to is never written, not through an offset of it either. That lets the compiler read
it in any order.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def clear(x: native.const_ptr[float]) -> None:
    native.store(native.offset(x, cuda.global_id()), 0.0)
""",
        fix="Declare the parameter `native.ptr[float]`.",
    ),
    Entry(
        code="store-type",
        title="a value that is not stored by itself",
        explanation="""\
A store narrows integers by wrapping and floats by rounding. A float where integers are kept, or a number where bools
are, wants a cast, since what is meant is not clear.""",
        example="""\
from transpile import native, tile


@tile.kernel
def count(x: native.const_ptr[float], y: native.ptr[int]) -> None:
    lane = tile.arange(32)
    tile.store(y, lane, tile.load(x, lane))
""",
        fix="`tile.cast(t, int)` truncates; `tile.cast(tile.round(t), int)` rounds.",
    ),
    Entry(
        code="several-elements",
        title="several elements at once, in a way that is not",
        explanation="""\
In a thread kernel `a, b = native.load(p, width=2)` reads 2, 4, 8 or 16 neighbours in one access, and
`native.store(p, (a, b))` writes them, 16 bytes at most. Each value has a name of its own.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def double(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id() * 4
    a, b, c, d = native.load(native.offset(x, i), width=4)
    native.store(native.offset(y, i), (a * 2.0, b * 2.0, c * 2.0, d * 2.0))
""",
        fix="Take two `float` at a time, or four `native.f32`.",
    ),
    Entry(
        code="atomic-type",
        title="an atomic on elements that have none",
        explanation="""\
Atomics change integers and floats of 32 or 64 bits, `and`, `or` and `xor` integers alone, in the arrays of the launch
and in shared memory: what every GPU can do. Narrower elements and bools have none; an array of one thread needs
none.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def mark(seen: native.ptr[bool]) -> None:
    cuda.atomic_max(seen, True)
""",
        fix="Keep the mark in a `native.ptr[native.i32]`.",
    ),
    Entry(
        code="access-shape",
        title="a tile where one element is accessed",
        explanation="""\
An access has the shape of its offsets: at one scalar offset it is of one element, and its value, mask and `other` are
scalars.""",
        example="""\
from transpile import native, tile


@tile.kernel
def put(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, 0, tile.load(x, lane))
""",
        fix="Give a tile of offsets, or reduce the value: `tile.sum(t)`.",
    ),
    Entry(
        code="allocation-place",
        title="an allocation where there is none",
        explanation="""\
`cuda.shared` is for thread kernels, `native.stack_alloc` for thread kernels and ordinary Python, `cuda.device_alloc`
for ordinary Python alone. The compiler places the tiles of a tile kernel.""",
        example="""\
from transpile import cuda, native, tile


@tile.kernel
def park(x: native.ptr[float]) -> None:
    parked = cuda.shared[float, 64]()
    tile.store(x, tile.arange(64), tile.load(parked, tile.arange(64)))
""",
        fix="Keep the tile in a variable.",
    ),
    Entry(
        code="allocation-size",
        title="an allocation of unknown size",
        explanation="""\
The size of `cuda.shared[T, N]()` and of `native.stack_alloc[T](n)` in a kernel is known before it runs: a literal, a
module constant or a `native.static[int]` parameter, at least 1. One `cuda.shared[T, n]()` of a kernel may have a size
that the launch says: an `int` parameter of the kernel, from 0, which the kernel never assigns to.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def park(n: int, x: native.ptr[float]) -> None:
    parked = native.stack_alloc[float](n)
    native.store(x, native.load(parked))
""",
        fix="Make `n` a `native.static[int]` parameter, or take the largest size.",
    ),
    Entry(
        code="shared-limit",
        title="more shared memory than a block has",
        explanation="""\
Each `cuda.shared[…]` in the text is one buffer of the block, and their sizes add up. The reference and the CPU allow
227 KiB, as the largest GPUs do. AMD's have 64 KiB; of NVIDIA's smaller ones those count that `build --arch` names.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def park(x: native.ptr[float]) -> None:
    parked = cuda.shared[float, 40_000]()
    native.store(native.offset(parked, cuda.thread_id()), 1.0)
    native.store(x, native.load(parked))
""",
        fix="Park fewer elements at a time.",
    ),
    Entry(
        code="local-limit",
        title="more memory than a thread has",
        explanation="""\
Each thread has its own copy of every `native.stack_alloc[…]` in a kernel. A GPU gives a thread at most 512 KiB, and
what does not fit in registers is slow.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def park(x: native.ptr[float]) -> None:
    parked = native.stack_alloc[float](100_000)
    native.store(native.offset(parked, cuda.thread_id()), 1.0)
    native.store(x, native.load(parked))
""",
        fix="Pass an array from outside, and give each thread its part of it.",
    ),
    Entry(
        code="tile-size",
        title="a tile size that is no power of two",
        explanation="""\
Reductions halve a tile until one lane is left, so a size is a power of two, from 1 to 65,536, known before the kernel
runs.""",
        example="""\
from transpile import native, tile


@tile.kernel
def odd(x: native.ptr[float]) -> None:
    lane = tile.arange(48)
    tile.store(x, lane, 0.0)
""",
        fix="Take the next power of two and mask the rest: `tile.store(x, lane, 0.0, lane < 48)`.",
    ),
)
