"""Rows of the catalogue: calls and launches."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

_KERNEL = """\
from transpile import native, tile


@tile.kernel
def fill(n: int, x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, 1.0, lane < n)


"""

CALLS: Final[tuple[Entry, ...]] = (
    Entry(
        code="call-arguments",
        title="arguments that do not meet a signature",
        explanation="Too many or too few arguments, a keyword that does not exist, or one parameter given twice.",
        example="""\
from transpile import native, tile


@tile.kernel
def read(x: native.ptr[float]) -> None:
    lane = tile.arange(32)
    tile.store(x, lane, tile.load(x, lane, fill=0.0))
""",
        fix="`tile.load(ptr, offsets, mask=True, other=0)`.",
    ),
    Entry(
        code="argument-type",
        title="an argument that does not convert by itself",
        explanation="""\
Arguments of device functions and kernels convert bool → int → float and `f32` → `f64`, and a literal takes the
parameter's type. Nothing is narrowed, and pointers point to what is declared.""",
        example="""\
from transpile import cuda, native


@cuda.device
def twice(i: int) -> int:
    return i * 2


@cuda.kernel
def apply(x: native.ptr[float]) -> None:
    native.store(x, twice(native.load(x)))
""",
        fix="Convert explicitly, `int(…)`, or declare the parameter `float`.",
    ),
    Entry(
        code="const-argument",
        title="a const pointer for a mutable parameter",
        explanation="What a launcher promises not to write it cannot pass to a kernel that may.",
        example=_KERNEL
        + """\
def run(n: int, x: native.const_ptr[float]) -> None:
    tile.launch(fill, 1, n, x)
""",
        fix="Declare the launcher's parameter `native.ptr[float]`.",
    ),
    Entry(
        code="axis",
        title="an axis that is not 0, 1 or 2",
        explanation="Grids and blocks have three axes; an axis is a constant.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def where(x: native.ptr[int]) -> None:
    native.store(x, cuda.thread_id(3))
""",
        fix="0, 1 or 2.",
    ),
    Entry(
        code="wrong-dialect",
        title="a name of the other dialect",
        explanation="""\
`tile.` names work on whole tiles in tile kernels, `cuda.` names on threads in thread kernels; device functions compute
from their parameters alone, and launchers compute with scalars and launch. `native.` and `math.` names are common.""",
        example="""\
from transpile import cuda, native, tile


@cuda.kernel
def mixed(x: native.ptr[float]) -> None:
    native.store(x, tile.maximum(native.load(x), 0.0))
""",
        fix="`native.maximum`.",
    ),
    Entry(
        code="host-only",
        title="a name of ordinary Python in a kernel",
        explanation="`tile.compiled`, `tile.target` and their like say what runs; they are asked outside.",
        example=_KERNEL
        + """\
@tile.kernel
def ask(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0 if tile.compiled(fill) else 0.0)
""",
        fix="Ask in ordinary Python and pass the answer.",
    ),
    Entry(
        code="call-kind",
        title="a kernel or launcher called like a function",
        explanation="Kernels are launched, from launchers and ordinary Python. Kernels call device functions.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def inner(x: native.ptr[float]) -> None:
    native.store(x, 1.0)


@cuda.kernel
def outer(x: native.ptr[float]) -> None:
    inner(x)
""",
        fix="Make it a `@cuda.device` function that returns what is stored.",
    ),
    Entry(
        code="reduction-operand",
        title="a reduction of something that is no tile",
        explanation="""\
`tile.sum` and its like fold the lanes of a tile, `tile.cumsum` and `tile.cummax` scan them; `tile.any` and `tile.all`
fold bools. The correction of `tile.var` is a constant that leaves one lane at least to divide by.""",
        example="""\
from transpile import native, tile


@tile.kernel
def total(n: int, x: native.ptr[float]) -> None:
    tile.store(x, 0, tile.sum(n))
""",
        fix="A scalar is folded already.",
    ),
    Entry(
        code="shuffle-operand",
        title="a shuffle of something that is no number",
        explanation="A shuffle passes one number to another thread; its mask, lane or delta is an integer.",
        example="""\
from transpile import cuda, native


@cuda.kernel
def trade(x: native.ptr[float]) -> None:
    native.store(x, native.load(cuda.shfl_xor(x, 1)))
""",
        fix="Load first: `cuda.shfl_xor(native.load(x), 1)`.",
    ),
    Entry(
        code="launch-kernel",
        title="a launch of something that is no kernel of its dialect",
        explanation="`tile.launch` runs `@tile.kernel` functions over a grid, `cuda.launch` `@cuda.kernel` ones.",
        example=_KERNEL.replace("native, tile", "cuda, native, tile")
        + """\
def run(n: int, x: native.ptr[float]) -> None:
    cuda.launch(fill, 1, 32, n, x)
""",
        fix="`tile.launch(fill, 1, n, x)`.",
    ),
    Entry(
        code="launch-arguments",
        title="a launch with too few or too many arguments",
        explanation="After the grid (and the block of `cuda.launch`) comes one argument for each parameter, in order.",
        example=_KERNEL
        + """\
def run(n: int, x: native.ptr[float]) -> None:
    tile.launch(fill, 1, x)
""",
        fix="`tile.launch(fill, 1, n, x)`.",
    ),
    Entry(
        code="launch-size",
        title="a grid or block that is no int or tuple of ints",
        explanation="A grid or block is an int, or a tuple of up to three.",
        example=_KERNEL
        + """\
def run(n: int, x: native.ptr[float]) -> None:
    tile.launch(fill, n / 32, n, x)
""",
        fix="Divide with `//`, rounding up: `(n + 31) // 32`.",
    ),
    Entry(
        code="static-argument",
        title="a static parameter whose value is not known",
        explanation="""\
The value of a `native.static[int]` parameter is part of the compiled kernel. In a launcher it is a literal or a module
constant; other values are given when it is built (`--instance`). Launched from ordinary Python, any int is one.""",
        example="""\
from transpile import native, tile


@tile.kernel
def fill(size: native.static[int], x: native.ptr[float]) -> None:
    tile.store(x, tile.arange(size), 1.0)


def run(n: int, x: native.ptr[float]) -> None:
    tile.launch(fill, 1, n, x)
""",
        fix="`tile.launch(fill, 1, 1024, x)`.",
    ),
)
