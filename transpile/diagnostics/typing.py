"""Faults of operands: types that do not meet, constants that do not fit, tiles where one truth value is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described, elsewhere, this_is
from transpile.dtypes import I64, DType, python_name
from transpile.source import Span

EXACT_INTEGERS = "integer arithmetic on literals and constants is exact; its result must fit"


def tile_shape_mismatch(symbol: str, left: Described, right: Described) -> Diagnostic:
    """Two tiles of different shapes meet in one operation."""
    lanes = left.type.lanes if hasattr(left.type, "lanes") else 1
    smaller = min((operand.shape or (1,) for operand in (left, right)), key=lambda shape: shape[0])
    if smaller == (1,):
        help_ = "only scalars broadcast: take `tile.sum` of the tile of one lane to make it a number"
    else:
        help_ = f"load {lanes} lanes, or take one reduction of each"
    return Diagnostic(
        code="tile-shape-mismatch",
        message=f"'{symbol}' needs tiles of one shape",
        primary=this_is(right),
        secondary=(this_is(left, left.place),),
        help=(help_,),
    )


def operand_type(span: Span, symbol: str, accepts: str, operands: Sequence[Described]) -> Diagnostic:
    """An operation that does not take these element types."""
    wanted = {"integer": "integers", "integer_or_bool": "integers or bools", "bool": "bools"}.get(accepts, "numbers")
    wrong = next((o for o in operands if o.dtype.is_float), operands[0])
    conversion = (
        "`x != 0` makes a bool of a number" if wanted == "bools" else "`tile.cast` or `int` converts explicitly"
    )
    binding = "`&`, `|` and `^` bind more tightly than comparisons: write `(a < b) & (c < d)`"
    return Diagnostic(
        code="operand-type",
        message=f"'{symbol}' takes {wanted}",
        primary=Label(wrong.span, f"this is {wrong.type}"),
        secondary=elsewhere(wrong),
        help=(conversion, binding) if wanted == "integers or bools" and symbol != "~" else (conversion,),
    )


def no_common_type(span: Span, symbol: str, operands: Sequence[Described], left: DType, right: DType) -> Diagnostic:
    """Integer types that no integer type holds both of."""
    return Diagnostic(
        code="operand-type",
        message=f"'{symbol}' meets {left} and {right}, which no integer type holds both of",
        primary=this_is(operands[-1]),
        secondary=(this_is(operands[0], operands[0].place),),
        help=(f"cast one of them: `native.cast(x, {python_name(left)})`",),
    )


def pointer_operand(operand: Described, symbol: str) -> Diagnostic:
    return Diagnostic(
        code="pointer-arithmetic",
        message=f"'{symbol}' does not take a pointer",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("`native.offset(pointer, index)` moves a pointer; `tile.load` and `native.load` read what it points to",),
    )


def pointer_condition(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="pointer-arithmetic",
        message="a pointer has no truth value",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("pass a bool or a count that says whether there is an array",),
    )


def tile_truth(span: Span, operand: Described, word: str, instead: str) -> Diagnostic:
    """`and`, `or`, `not` of a tile."""
    around = "" if word == "not" else ", with parentheses around comparisons"
    return Diagnostic(
        code="tile-truth",
        message=f"'{word}' needs one truth value, and a tile has one for each lane",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=(f"write `{instead}`, which works lane by lane{around}; `tile.any` and `tile.all` make one truth value",),
    )


def tile_condition(operand: Described) -> Diagnostic:
    """A tile as the condition of `if`, `while` or a conditional expression."""
    return Diagnostic(
        code="tile-truth",
        message="a condition needs one truth value, and a tile has one for each lane",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=(
            "`tile.where(condition, a, b)` chooses lane by lane, `&`, `|` and `~` combine conditions;\n"
            "`tile.any` and `tile.all` make one truth value",
        ),
    )


def chained_tiles(span: Span, operand: Described) -> Diagnostic:
    """`a < t < b` with a tile."""
    return Diagnostic(
        code="tile-truth",
        message="a chained comparison needs one truth value, and a tile has one for each lane",
        primary=Label(span, f"a comparison here is {operand.type}"),
        help=("write `(a < t) & (t < b)`; `&`, `|`, `~` and `tile.where` work lane by lane",),
    )


def condition_not_bool(operand: Described, what: str) -> Diagnostic:
    return Diagnostic(
        code="condition-type",
        message=f"{what} wants bools",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("compare: `x != 0` is a bool for every lane",),
    )


# ---------------------------------------------------------------- constants


def constant_does_not_fit(span: Span, value: int, dtype: DType) -> Diagnostic:
    text = str(value) if abs(value) < 10**40 else f"an integer of {abs(value).bit_length()} bits"
    return Diagnostic(
        code="constant-range",
        message=f"{text} does not fit {dtype}",
        primary=Label(span, f"{dtype} holds {dtype.min} to {dtype.max}"),
        notes=(EXACT_INTEGERS,),
        help=(
            f"a cast wraps: `native.cast({text}, {python_name(dtype)})`; or use a wider type"
            if I64.min <= value <= I64.max
            else "write it as a float (`1e20`), or compute it from smaller numbers at run time",
        ),
    )


def constant_too_wide(span: Span) -> Diagnostic:
    return Diagnostic(
        code="constant-range",
        message="the result of this has thousands of bits and does not fit i64",
        primary=Label(span),
        notes=(EXACT_INTEGERS,),
        help=("a shift by a count that is known only at run time gives 0 from 64 on",),
    )


def constant_zero_division(span: Span, symbol: str) -> Diagnostic:
    return Diagnostic(
        code="constant-zero-division",
        message=f"'{symbol}' by the constant 0",
        primary=Label(span, "this is 0"),
        notes=("Python raises ZeroDivisionError here; with a divisor known at run time a kernel gives 0",),
        help=("divide by something else, or write `0.0` where a NaN is meant",),
    )


def constant_negative_shift(span: Span, count: int) -> Diagnostic:
    return Diagnostic(
        code="constant-shift",
        message=f"a shift by {count}",
        primary=Label(span, "a count is at least 0"),
        notes=("Python raises ValueError here",),
        help=("shift the other way: `x << 1` instead of `x >> -1`",),
    )


def power_of_integers(span: Span, name: str, base: Described, exponent: Described) -> Diagnostic:
    """`name` is how the power was written: the operator or the function."""
    said = f"this is {exponent.constant}" if exponent.constant is not None else f"this is {exponent.type}"
    as_float = "tile.cast(x, float)" if base.is_tile else "float(x)"
    return Diagnostic(
        code="power-exponent",
        message=f"'{name}' of two integers takes a constant exponent up to 64",
        primary=Label(span, said),
        secondary=(Label(base.place, f"this is {base.type}"),),
        notes=("with any other exponent Python's result may be an int of any size, or a float",),
        help=(f"`{as_float} ** n` is a float for every `n`",),
    )


def power_in_launcher(span: Span, name: str, exponent: Described) -> Diagnostic:
    said = f"this is {exponent.constant}" if exponent.constant is not None else f"this is {exponent.type}"
    return Diagnostic(
        code="power-exponent",
        message=f"in a launcher '{name}' takes a constant int exponent from 0 to 64",
        primary=Label(span, said),
        notes=("in Python a launcher runs as Python, whose power of floats has other bits on other machines",),
        help=("compute it in a kernel, or in a `@cuda.device` function that the launcher calls",),
    )


# ---------------------------------------------------------------- what is no value


def type_as_value(span: Span, dtype: DType) -> Diagnostic:
    return Diagnostic(
        code="not-a-value",
        message=f"{python_name(dtype)} is a type, not a value",
        primary=Label(span),
        help=(f"`tile.cast(x, {python_name(dtype)})` or `native.cast` converts a value to it",),
    )


def function_as_value(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="not-a-value",
        message=f"'{name}' is a function, not a value",
        primary=Label(span),
        help=(f"call it: `{name}(…)`; a function itself is passed only to `tile.map` and launches",),
    )


def tuple_as_value(span: Span) -> Diagnostic:
    return Diagnostic(
        code="not-a-value",
        message="a tuple is not a value here",
        primary=Label(span),
        help=("give each part a name: `a, b = x, y`",),
    )


def no_value(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="not-a-value",
        message=f"{name} gives no value",
        primary=Label(span),
        help=("call it in a line of its own",),
    )


def divmod_as_value(span: Span) -> Diagnostic:
    return Diagnostic(
        code="not-a-value",
        message="divmod gives two values",
        primary=Label(span),
        help=("`quotient, remainder = divmod(a, b)`",),
    )


# ---------------------------------------------------------------- choosing a pointer


def mixed_sides(span: Span, left: Described, right: Described) -> Diagnostic:
    return Diagnostic(
        code="pointer-choice",
        message="one side is a pointer and the other is not",
        primary=this_is(right),
        secondary=(this_is(left, left.place),),
        help=("load the value on the side of the pointer too",),
    )


def pointer_choice(span: Span, left: Described, right: Described) -> Diagnostic:
    return Diagnostic(
        code="pointer-choice",
        message="a condition cannot choose between pointers of different arrays",
        primary=Label(right.span, "this points into one array"),
        secondary=(Label(left.span, "this into another"),),
        notes=("which array a pointer belongs to is known before the kernel runs",),
        help=("choose between what is loaded: `native.load(x) if c else native.load(y)`",),
    )
