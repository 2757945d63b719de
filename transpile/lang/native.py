"""Pointers, element types, and the elementwise functions of thread kernels and device functions.

`load`, `store`, `offset` and `stack_alloc` also work outside of kernels, on arrays in ordinary memory.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, overload
from typing import TypeVar as _TypeVar
from typing import cast as as_type

from transpile.lang.allocate import host_array
from transpile.lang.arrays import host_pointer
from transpile.lang.outside import intrinsic

_T = _TypeVar("_T")
Function: TypeAlias = Callable[..., Any]

if TYPE_CHECKING:
    from typing import TypeVar as TypeVar  # what follows is one to a type checker

    from transpile.lang import tiles
    from transpile.lang.tiles import AnyMutable, AnyPointer, Cast, Pointer

    ptr: TypeAlias = AnyMutable[_T]
    const_ptr: TypeAlias = AnyPointer[_T]
    i8 = int
    i16 = int
    i32 = int
    i64 = int
    u8 = int
    u16 = int
    u32 = int
    u64 = int
    f16 = float
    bf16 = float
    f32 = float
    f64 = float
    f8e4m3 = float
    f8e5m2 = float
else:
    from transpile.lang.dtype_names import NATIVE
    from transpile.lang.type_variable import TypeVar as TypeVar

    globals().update(NATIVE)  # one row of `dtypes`, one name

    class ptr:  # noqa: N801 - a type as users spell it
        """`native.ptr[T]`: the address of elements of T, which may be written."""

        __class_getitem__ = classmethod(GenericAlias)

    class const_ptr:  # noqa: N801
        """`native.const_ptr[T]`: the address of elements of T that are never written through it."""

        __class_getitem__ = classmethod(GenericAlias)


static = Annotated[_T, "known at the launch"]
"""`native.static[int]`: a parameter whose value is known at the launch and may be a size; each value is an instance."""


@overload
def load(pointer: AnyPointer[_T]) -> _T: ...
@overload
def load(pointer: AnyPointer[_T], width: int) -> tuple[_T, ...]: ...
def load(pointer: Any, width: int = 1) -> Any:
    """The element that `pointer` points to; with `width`, a tuple of it and its neighbours behind it.

    In a thread kernel `a, b = native.load(p, width=2)` is one access: of 2, 4, 8 or 16 elements, 16 bytes at most, from
    an address that is a multiple of these. Outside of a kernel: raises IndexError outside of the array.
    """
    place = host_pointer(pointer, "native.load: the pointer")
    return place.load() if width == 1 else tuple(place.moved(step).load() for step in range(width))


def store(pointer: AnyMutable[_T], value: float | tuple[float, ...]) -> None:
    """Writes the element that `pointer` points to. An integer wraps to a narrower type, a float is rounded.

    A tuple is written to it and its neighbours behind it, in a thread kernel as one access: see `load`. Outside of a
    kernel: raises IndexError outside of the array, TypeError where a float would become an int.
    """
    place = host_pointer(pointer, "native.store: the pointer")
    if not isinstance(value, tuple):
        place.store(value)
        return
    for step, each in enumerate(value):
        place.moved(step).store(each)


def offset(pointer: AnyPointer[_T], index: int, column: int = 0) -> Pointer[_T]:
    """The pointer `index` elements further on; negative: back.

    In an array with rows, `cuda.shared[T, ROWS, COLS]()`, the pointer to `column` of row `index`.
    """
    if column != 0:
        raise TypeError("native.offset: only shared arrays have rows; elsewhere write row * columns + column")
    return as_type("Pointer[_T]", host_pointer(pointer, "native.offset: the pointer").moved(index))


class _StackAlloc:
    """`native.stack_alloc[T](n)`: an array of n zeros. In a kernel each thread has its own, and n is a constant."""

    def __getitem__(self, dtype: type[_T]) -> Callable[[int], Pointer[_T]]:
        return host_array("native.stack_alloc", dtype)

    def __repr__(self) -> str:
        return "native.stack_alloc"


stack_alloc: Final = _StackAlloc()


def _cast(function: Function) -> Cast:
    return as_type("Cast", intrinsic(function))


@_cast
def cast(x: Any, dtype: Any) -> Any:
    """x as another element type. Floats round; float to int truncates and saturates; NaN is 0, and True as a bool."""


# ---------------------------------------------------------------- from the table of operations
# `python scripts/from_table.py` writes all that follows.


def _where(function: Function) -> tiles.Where:
    return as_type("tiles.Where", intrinsic(function))


def _binary(function: Function) -> tiles.Binary:
    return as_type("tiles.Binary", intrinsic(function))


def _ternary(function: Function) -> tiles.Ternary:
    return as_type("tiles.Ternary", intrinsic(function))


def _binary_float(function: Function) -> tiles.BinaryFloat:
    return as_type("tiles.BinaryFloat", intrinsic(function))


def _unary_float(function: Function) -> tiles.UnaryFloat:
    return as_type("tiles.UnaryFloat", intrinsic(function))


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


@_ternary
def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""


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
