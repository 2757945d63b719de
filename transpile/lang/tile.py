"""Tile kernels: what one program of a grid does to tiles. The compiler makes the threads, shared memory and barriers.

from transpile import native, tile

@tile.kernel
def saxpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    offsets = tile.program_id() * 256 + tile.arange(256)
    mask = offsets < n
    tile.store(y, offsets, a * tile.load(x, offsets, mask) + tile.load(y, offsets, mask), mask)

tile.launch(saxpy, (n + 255) // 256, n, 2.0, x, y)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload
from typing import cast as as_type

from transpile.lang import launch as launches
from transpile.lang.kernel import Kernel
from transpile.lang.outside import intrinsic

if TYPE_CHECKING:
    from transpile.lang import tiles
    from transpile.lang.geometry import Sizes
    from transpile.lang.tiles import Atomic, Cast, CompareAndSwap, Load, Map, Store, Tile

Function = Callable[..., Any]


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...
@overload
def kernel(*, alias: bool = False, fast_math: bool = False) -> Callable[[Callable[..., None]], Kernel]: ...
def kernel(
    function: Callable[..., None] | None = None, /, *, alias: bool = False, fast_math: bool = False
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Makes a tile kernel of a function whose parameters are all annotated and that returns None.

    `alias=True` lets its arrays overlap: loads and stores happen as written. `fast_math=True` gives up the promise of
    the same bits everywhere: a GPU fuses products with sums and takes its own functions of `f32`.
    """
    if function is not None:
        return Kernel(function, "tile", alias=alias, fast_math=fast_math)
    return lambda function: Kernel(function, "tile", alias=alias, fast_math=fast_math)


def launch(kernel: Kernel, grid: Sizes, *args: Any, stream: Any = None) -> None:
    """Runs `kernel` once for each program of `grid`, an int or a tuple of up to three. A 0 in it runs nothing.

    On a device it is queued on `stream` (an int, a stream of torch, CuPy or cuda.core), by itself on the current stream
    of whoever made the arrays.

    Raises CompileError for what is wrong with the kernel; TypeError, ValueError or OverflowError for a bad argument or
    grid, before anything runs; KernelFault for an access out of bounds.
    """
    launches.launch(kernel, "tile", grid, None, args, stream)


def compiled(kernel: Kernel) -> bool:
    """Whether compiled code ran at the last launch of `kernel` (or would run now, if it was never launched)."""
    return launches.ran(kernel, "tile") != "reference"


def target(kernel: Kernel) -> str:
    """The target that the last launch of `kernel` ran on (or would run on now, if it was never launched)."""
    return launches.ran(kernel, "tile")


# ---------------------------------------------------------------- where, how many


@intrinsic
def program_id(axis: int = 0) -> int:
    """This program's place in the grid along `axis` (0 to 2)."""
    raise NotImplementedError


@intrinsic
def num_programs(axis: int = 0) -> int:
    """The grid's size along `axis` (0 to 2)."""
    raise NotImplementedError


@intrinsic
def arange(size: int) -> Tile[int]:
    """The tile 0, 1, … size - 1; `size` is a constant power of two, at most 65,536."""
    raise NotImplementedError


# ---------------------------------------------------------------- memory


def _load(function: Function) -> Load:
    return as_type("Load", intrinsic(function))


def _store(function: Function) -> Store:
    return as_type("Store", intrinsic(function))


@_load
def load(ptr: Any, offsets: Any, mask: Any = True, other: Any = 0) -> Any:
    """The elements at `offsets` from `ptr`: a tile, or a scalar at a scalar offset.

    A lane whose mask is False touches no memory and holds `other`.
    """


@_store
def store(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> None:
    """Writes `value` at `offsets` from `ptr`. A lane whose mask is False writes nothing."""


# ---------------------------------------------------------------- atomics


def _atomic(function: Function) -> Atomic:
    return as_type("Atomic", intrinsic(function))


def _compare_and_swap(function: Function) -> CompareAndSwap:
    return as_type("CompareAndSwap", intrinsic(function))


@_atomic
def atomic_add(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Adds `value` to each element at `offsets`, each lane as one access, and gives what it found.

    Equal offsets each count; their order is open. A lane whose mask is False touches no memory and gives 0.
    """


@_atomic
def atomic_max(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Leaves the larger of element and `value`, lane by lane, and gives what it found. See `atomic_add`."""


@_atomic
def atomic_min(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Leaves the smaller of element and `value`, lane by lane, and gives what it found. See `atomic_add`."""


@_atomic
def atomic_exch(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Leaves `value` in the place of each element and gives what it found. See `atomic_add`."""


@_compare_and_swap
def atomic_cas(ptr: Any, offsets: Any, compare: Any, value: Any, mask: Any = True) -> Any:
    """Leaves `value` where an element has the bits of `compare` and gives what it found. See `atomic_add`."""


@_atomic
def atomic_and(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Leaves the bits that element and `value` both have and gives what it found. See `atomic_add`."""


@_atomic
def atomic_or(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Leaves the bits that element or `value` has and gives what it found. See `atomic_add`."""


@_atomic
def atomic_xor(ptr: Any, offsets: Any, value: Any, mask: Any = True) -> Any:
    """Leaves the bits that one of element and `value` has and gives what it found. See `atomic_add`."""


# ---------------------------------------------------------------- lane by lane


def _cast(function: Function) -> Cast:
    return as_type("Cast", intrinsic(function))


def _map(function: Function) -> Map:
    return as_type("Map", intrinsic(function))


@_cast
def cast(x: Any, dtype: Any) -> Any:
    """x as another element type. Floats round; float to int truncates and saturates; NaN is 0, and True as a bool."""


@_map
def map(f: Any, *operands: Any) -> Any:
    """The device function `f` of the operands, lane by lane: the same as calling it."""


# ---------------------------------------------------------------- from the table of operations
# `python scripts/from_table.py` writes all that follows.


def _sum(function: Function) -> tiles.Sum:
    return as_type("tiles.Sum", intrinsic(function))


def _fold(function: Function) -> tiles.Fold:
    return as_type("tiles.Fold", intrinsic(function))


def _fold_truth(function: Function) -> tiles.FoldTruth:
    return as_type("tiles.FoldTruth", intrinsic(function))


def _running_sum(function: Function) -> tiles.RunningSum:
    return as_type("tiles.RunningSum", intrinsic(function))


def _running(function: Function) -> tiles.Running:
    return as_type("tiles.Running", intrinsic(function))


def _mean(function: Function) -> tiles.Mean:
    return as_type("tiles.Mean", intrinsic(function))


def _variance(function: Function) -> tiles.Variance:
    return as_type("tiles.Variance", intrinsic(function))


def _first_lane(function: Function) -> tiles.FirstLane:
    return as_type("tiles.FirstLane", intrinsic(function))


def _unary(function: Function) -> tiles.Unary:
    return as_type("tiles.Unary", intrinsic(function))


def _where(function: Function) -> tiles.Where:
    return as_type("tiles.Where", intrinsic(function))


def _binary(function: Function) -> tiles.Binary:
    return as_type("tiles.Binary", intrinsic(function))


def _unary_float(function: Function) -> tiles.UnaryFloat:
    return as_type("tiles.UnaryFloat", intrinsic(function))


def _ternary(function: Function) -> tiles.Ternary:
    return as_type("tiles.Ternary", intrinsic(function))


def _binary_float(function: Function) -> tiles.BinaryFloat:
    return as_type("tiles.BinaryFloat", intrinsic(function))


def _test(function: Function) -> tiles.Test:
    return as_type("tiles.Test", intrinsic(function))


@_sum
def sum(x: Any) -> Any:
    """The sum: in i64 for bools and signed integers, in u64 for unsigned ones, in f32 for narrow floats."""


@_sum
def prod(x: Any) -> Any:
    """The product, in the type of the sum."""


@_fold
def max(x: Any) -> Any:
    """The largest lane; any NaN gives NaN."""


@_fold
def min(x: Any) -> Any:
    """The smallest lane; any NaN gives NaN."""


@_fold
def nanmax(x: Any) -> Any:
    """The largest lane that is a number; NaN if none is."""


@_fold
def nanmin(x: Any) -> Any:
    """The smallest lane that is a number; NaN if none is."""


@_fold_truth
def any(x: Any) -> Any:
    """Whether any lane holds."""


@_fold_truth
def all(x: Any) -> Any:
    """Whether all lanes hold."""


@_running_sum
def cumsum(x: Any) -> Any:
    """The sum of each lane and those before it, in the type of the sum."""


@_running
def cummax(x: Any) -> Any:
    """The largest of each lane and those before it; a NaN stays."""


@_mean
def mean(x: Any) -> Any:
    """The mean of the lanes."""


@_variance
def var(x: Any, correction: Any = 0) -> Any:
    """The variance of the lanes in two passes; of a sample, with `correction=1`."""


@_first_lane
def argmax(x: Any) -> Any:
    """The first lane that holds the largest value; the first NaN, if there is one; +0 is above -0."""


@_first_lane
def argmin(x: Any) -> Any:
    """The first lane that holds the smallest value; the first NaN, if there is one; -0 is below +0."""


@_unary
def abs(x: Any) -> Any:
    """The absolute value; the smallest integer stays."""


@_where
def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`; both are evaluated."""


@_binary
def maximum(a: Any, b: Any) -> Any:
    """The larger; NaN if either is NaN; +0 is above -0."""


@_binary
def minimum(a: Any, b: Any) -> Any:
    """The smaller; NaN if either is NaN; +0 is above -0."""


@_binary
def fmax(a: Any, b: Any) -> Any:
    """The larger; a NaN loses to a number; +0 is above -0."""


@_binary
def fmin(a: Any, b: Any) -> Any:
    """The smaller; a NaN loses to a number; +0 is above -0."""


@_unary_float
def sqrt(x: Any) -> Any:
    """The square root, correctly rounded; NaN below -0."""


@_ternary
def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""


@_unary
def floor(x: Any) -> Any:
    """The next whole number below, of the same type."""


@_unary
def ceil(x: Any) -> Any:
    """The next whole number above, of the same type."""


@_unary
def round(x: Any) -> Any:
    """The nearest whole number, half to even, of the same type."""


@_unary
def trunc(x: Any) -> Any:
    """The whole number next to it towards 0, of the same type."""


@_binary_float
def copysign(a: Any, b: Any) -> Any:
    """The first operand's magnitude with the second's sign."""


@_test
def isnan(x: Any) -> Any:
    """Whether it is NaN."""


@_test
def isinf(x: Any) -> Any:
    """Whether it is an infinity."""


@_test
def isfinite(x: Any) -> Any:
    """Whether it is a number."""


@_binary_float
def pow(a: Any, b: Any) -> Any:
    """a to the power b, of floats; 1 where b is 0 or a is 1, NaN for a negative a and a b that is not whole."""


@_unary_float
def exp(x: Any) -> Any:
    """e to the power x."""


@_unary_float
def exp2(x: Any) -> Any:
    """2 to the power x."""


@_unary_float
def expm1(x: Any) -> Any:
    """e to the power x, less 1: exact digits near 0 too."""


@_unary_float
def log(x: Any) -> Any:
    """The natural logarithm; -inf at 0, NaN below."""


@_unary_float
def log2(x: Any) -> Any:
    """The logarithm to the base 2; -inf at 0, NaN below."""


@_unary_float
def log1p(x: Any) -> Any:
    """log(1 + x): exact digits near 0 too; -inf at -1, NaN below."""


@_unary_float
def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x)."""


@_unary_float
def silu(x: Any) -> Any:
    """x / (1 + e^-x), which some call swish."""


@_unary_float
def softplus(x: Any) -> Any:
    """log(1 + e^x)."""


@_unary_float
def relu(x: Any) -> Any:
    """x where it is above 0, NaN where it is NaN, else 0."""


@_unary_float
def rsqrt(x: Any) -> Any:
    """1 / sqrt(x); inf at 0, NaN below."""


@_unary_float
def sin(x: Any) -> Any:
    """The sine of x radians; NaN at the infinities."""


@_unary_float
def cos(x: Any) -> Any:
    """The cosine of x radians; NaN at the infinities."""


@_unary_float
def tanh(x: Any) -> Any:
    """The hyperbolic tangent of x."""


@_unary_float
def erf(x: Any) -> Any:
    """The error function of x."""


@_unary_float
def gelu(x: Any) -> Any:
    """x / 2 * (1 + erf(x / sqrt 2)); -0 at -inf."""


@_unary_float
def gelu_tanh(x: Any) -> Any:
    """x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), the constants as exact numbers; -0 at -inf."""
