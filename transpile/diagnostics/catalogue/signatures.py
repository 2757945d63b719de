"""Rows of the catalogue: decorators, parameters and results."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry
from transpile.dtypes import written_names

SIGNATURES: Final[tuple[Entry, ...]] = (
    Entry(
        code="missing-annotation",
        title="a parameter without a type",
        explanation="""\
The types of parameters are not guessed.""",
        example="""\
from transpile import native, tile


@tile.kernel
def fill(n, x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
""",
        fix="Write `n: int`.",
    ),
    Entry(
        code="bad-annotation",
        title="an annotation that is no type of the language",
        explanation=f"""\
Parameters are scalars ({written_names("`")}), pointers to them, or, in kernels,
`native.static[int]`.""",
        example="""\
from transpile import native, tile


@tile.kernel
def fill(n: str, x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
""",
        fix="Write one of these types.",
    ),
    Entry(
        code="device-signature",
        title="a device function whose parameters or result are no scalars",
        explanation="""\
A device function computes a scalar from scalars; on tiles it works lane by lane.""",
        example="""\
from transpile import cuda, native


@cuda.device
def first(x: native.ptr[float]) -> float:
    return 1.0
""",
        fix="Load in the kernel and pass the value: `def first(x: float) -> float`.",
    ),
    Entry(
        code="type-variable",
        title="a type variable that cannot be used so",
        explanation="""\
`T = native.TypeVar("T", native.f32, float)` at the top level of a file makes T any one of these types in kernels and
launchers. They are compiled for each type, and a launch takes the one of its arrays: so T has to stand in a pointer
parameter. Device functions have none.""",
        example="""\
from transpile import native, tile

T = native.TypeVar("T", native.f32, float)


@tile.kernel
def fill(a: T, x: native.ptr[float]) -> None:
    tile.store(x, 0, a)
""",
        fix="Write `x: native.ptr[T]`.",
    ),
    Entry(
        code="kernel-returns",
        title="a kernel or launcher that returns a value",
        explanation="""\
Results are stored through pointers.""",
        example="""\
from transpile import native, tile


@tile.kernel
def first(x: native.ptr[float]) -> float:
    tile.store(x, 0, 1.0)
""",
        fix="Write `-> None` and store the value.",
    ),
    Entry(
        code="decorator-option",
        title="an option that a decorator does not have",
        explanation="""\
`@tile.kernel` and `@cuda.kernel` take `alias=` and `fast_math=`, each True or False. `@cuda.device` takes none.""",
        example="""\
from transpile import native, tile


@tile.kernel(warps=4)
def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
""",
        fix="The compiler chooses the number of threads; leave it out.",
    ),
    Entry(
        code="misplaced-name",
        title="a name of the language in a place that is not its own",
        explanation="""\
Types annotate, decorators stand above a `def`, and allocations name their type in brackets.""",
        example="""\
from transpile import cuda, native


@cuda.kernel
def kernel(x: native.ptr[float]) -> None:
    buffer = cuda.shared(64)
    native.store(x, 1.0)
""",
        fix="`cuda.shared[float, 64]()`",
    ),
)
