"""Rows of the catalogue: returns, loops, barriers."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

FLOW: Final[tuple[Entry, ...]] = (
    Entry(
        code="return-value",
        title="a return that does not meet the function",
        explanation="""\
Kernels and launchers return nothing. A device function returns a number of its declared type; bool → int → float and
`f32` → `f64` convert by themselves.""",
        example="""\
from transpile import cuda


@cuda.device
def whole(v: float) -> int:
    return v
""",
        fix="`return int(v)`, or declare `-> float`.",
    ),
    Entry(
        code="missing-return",
        title="a device function that may end without a value",
        explanation="Every path through a device function ends in a `return`.",
        example="""\
from transpile import cuda


@cuda.device
def clip(v: float) -> float:
    if v > 1.0:
        return 1.0
""",
        fix="Add the `return` of the other path.",
    ),
    Entry(
        code="range-bound",
        title="a range over something that is no integer",
        explanation="`range` counts with integers, which it reads once.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def count(n: int, x: native.ptr[float]) -> None:
    for i in range(n / 2):
        native.store(native.offset(x, i), 0.0)
""",
        fix="Divide with `//`.",
    ),
    Entry(
        code="range-step",
        title="a range with a step of 0",
        explanation="Python raises ValueError for it, so it is refused. A step that is 0 at run time runs no turn.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def count(n: int, x: native.ptr[float]) -> None:
    for i in range(0, n, 0):
        native.store(native.offset(x, i), 0.0)
""",
        fix="Count by at least 1, up or down.",
    ),
    Entry(
        code="divergent-barrier",
        title="a barrier that not every thread reaches",
        explanation="""\
All threads of a block must come to the same `syncthreads`, or those that do would wait for ever. Flow that depends on
`thread_id`, `global_id`, a shuffle's result, or a load whose offset depends on these may not lead to one. Flow that
depends on another load is taken as the same in the whole block, and the reference checks it as it runs.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def half(x: native.ptr[float]) -> None:
    parked = cuda.shared[float, 64]()
    i = cuda.thread_id()
    if i < 32:
        native.store(native.offset(parked, i), native.load(native.offset(x, i)))
        cuda.syncthreads()
    native.store(native.offset(x, i), native.load(native.offset(parked, i % 32)))
""",
        fix="Move the barrier behind the `if`, where all threads come by.",
    ),
    Entry(
        code="divergent-shuffle",
        title="a shuffle or syncwarp that not every thread of the group reaches",
        explanation="""\
The 32 threads of a group must come to a shuffle or `syncwarp` together. Conditions on `thread_id() // 32`, and
comparisons of `thread_id()` with multiples of 32, are the same in a whole group and may lead to one.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def trade(n: int, x: native.ptr[float]) -> None:
    i = cuda.thread_id()
    v = native.load(native.offset(x, i))
    if i < n:
        v = v + cuda.shfl_xor(v, 1)
    native.store(native.offset(x, i), v)
""",
        fix="Shuffle first, and choose afterwards: `other = cuda.shfl_xor(v, 1)` before the `if`.",
    ),
)
