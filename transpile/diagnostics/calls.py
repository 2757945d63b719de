"""Faults of calls: arguments that do not meet a signature, functions called where they cannot be, launches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described, elsewhere, kind_word, listed, this_is
from transpile.dtypes import DType, python_name
from transpile.ir import hir
from transpile.source import Span

_DEFAULTS: Final = {"axis": "0", "mask": "True", "other": "0", "correction": "0"}


def signature(name: str, names: Sequence[str]) -> str:
    """How a function is called, with what is left out by itself."""
    defaults = {} if "shfl" in name else _DEFAULTS  # the mask of a shuffle is no default
    return f"{name}({', '.join(f'{each}={defaults[each]}' if each in defaults else each for each in names)})"


def counted(name: str, names: Sequence[str], count: int) -> str:
    """How many arguments `name` takes, and how many it gets."""
    plural = "" if len(names) == 1 else "s"
    return f"{name} takes {len(names)} argument{plural}, and {count} {'is' if count == 1 else 'are'} given"


def too_many_arguments(span: Span, name: str, names: Sequence[str], count: int) -> Diagnostic:
    return Diagnostic(
        code="call-arguments",
        message=counted(name, names, count),
        primary=Label(span, "this is one too many"),
        help=(f"its signature is `{signature(name, names)}`",),
    )


def unknown_keyword(
    span: Span, name: str, keyword: str, names: Sequence[str], *, by_position: bool = False, advice: str | None = None
) -> Diagnostic:
    """`by_position`: what follows `names` has no names. `advice` says what to write where Python takes the keyword."""
    message = f"{name} has no parameter '{keyword}'"
    if advice is not None:
        message = f"{name} takes no '{keyword}' in compiled code"
    elif by_position:
        advice = f"arguments of the kernel go by position: `{name}({', '.join(names)}, …)`"
    else:
        advice = f"its signature is `{signature(name, names)}`"
    return Diagnostic(code="call-arguments", message=message, primary=Label(span), help=(advice,))


def argument_twice(span: Span, name: str, keyword: str) -> Diagnostic:
    return Diagnostic(
        code="call-arguments",
        message=f"{name} is given '{keyword}' twice",
        primary=Label(span, "the second time"),
        help=("give it by position or by name",),
    )


def missing_arguments(span: Span, name: str, missing: Sequence[str], names: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="call-arguments",
        message=f"{name} is not given {listed(list(missing))}",
        primary=Label(span),
        help=(f"its signature is `{signature(name, names)}`",),
    )


def one_argument(name: str, operand: Described) -> Diagnostic:
    """`name` is `max` or `min`."""
    which = "largest" if name == "max" else "smallest"
    return Diagnostic(
        code="call-arguments",
        message=f"{name} compares two values or more",
        primary=this_is(operand),
        help=(f"`tile.{name}(t)` is the {which} lane of a tile",),
    )


def round_digits(span: Span) -> Diagnostic:
    return Diagnostic(
        code="call-arguments",
        message="round takes no number of digits in a kernel",
        primary=Label(span),
        help=("`round(x)` gives the nearest integer, half to even",),
    )


def axis(operand: Described) -> Diagnostic:
    said = f"this is {operand.constant}" if operand.constant is not None else f"this is {operand.type}"
    return Diagnostic(
        code="axis",
        message="an axis is the constant 0, 1 or 2",
        primary=Label(operand.span, said),
        help=("grids and blocks have three axes; 0 is the fastest",),
    )


# ---------------------------------------------------------------- where a name may stand


_DIALECTS: Final = {
    "tile": "tile kernels",
    "thread": "thread kernels",
    "device": "device functions",
    "launcher": "launchers",
}


def wrong_dialect(span: Span, name: str, kind: str, kinds: Iterable[str], here: str = "") -> Diagnostic:
    """A name of the other dialect, or of kernels in a launcher; `here` is what the function may call instead."""
    allowed = [word for key, word in _DIALECTS.items() if key in set(kinds)]
    words = allowed[0] if len(allowed) == 1 else f"{', '.join(allowed[:-1])} and {allowed[-1]}"
    return Diagnostic(
        code="wrong-dialect",
        message=f"{name} is for {words}, and this is {kind_word(kind)}",
        primary=Label(span),
        help=(f"here it is `{here}`" if here and name not in ("tile.load", "tile.store") else _instead(name, kind),),
    )


def _instead(name: str, kind: str) -> str:
    last = name.rpartition(".")[2]
    if kind == "launcher":
        return "a launcher computes with scalars, moves pointers and launches; do this in the kernel"
    if kind == "device":
        return "a device function computes from its parameters; pass it what it needs"
    if last == "launch":
        return "launch from a launcher or from ordinary Python"
    if name in ("tile.load", "tile.store"):
        return f"`native.{last}(native.offset(pointer, i))` is for one element"
    return "each dialect has its own names: `tile.` for tile kernels, `cuda.` for thread kernels"


def not_in_kernels(span: Span, name: str, kind: str) -> Diagnostic:
    return Diagnostic(
        code="host-only",
        message=f"{name} cannot be called in {kind_word(kind)}",
        primary=Label(span),
        help=("call it in ordinary Python, and pass what it gives as an argument",),
    )


def call_of_kind(span: Span, callee: hir.Function, kind: str) -> Diagnostic:
    """A kernel or a launcher called like a function."""
    word = kind_word(callee.kind)
    if callee.kind == "launcher":
        instead = "launch its kernels here yourself"
    else:
        dialect = "tile" if callee.kind == "tile" else "cuda"
        instead = (
            f"a kernel is run by `{dialect}.launch({callee.name}, …)`; a function that a kernel calls is `@cuda.device`"
        )
    return Diagnostic(
        code="call-kind",
        message=f"'{callee.name}' is {word}, which {kind_word(kind)} cannot call",
        primary=Label(span),
        secondary=(Label(callee.name_span, "defined here"),),
        help=(instead,),
    )


def cast_type(span: Span) -> Diagnostic:
    return Diagnostic(
        code="cast-type",
        message="cast wants a type second",
        primary=Label(span),
        help=("`int`, `float`, `bool` or a storage type such as `native.f32`",),
    )


# ---------------------------------------------------------------- arguments of functions and kernels


def argument_kind(operand: Described, parameter: hir.Parameter, callee: hir.Function) -> Diagnostic:
    """A pointer for a scalar, or the other way round."""
    wanted = "a pointer" if isinstance(parameter.annotation, hir.PointerAnnotation) else "a number"
    return Diagnostic(
        code="argument-type",
        message=f"'{parameter.name}' of '{callee.name}' is {wanted}",
        primary=this_is(operand),
        secondary=(Label(parameter.span, "declared here"),),
        help=("check the order of the arguments",),
    )


def argument_type(operand: Described, parameter: hir.Parameter, callee: hir.Function, target: DType) -> Diagnostic:
    """An argument that would be narrowed."""
    return Diagnostic(
        code="argument-type",
        message=f"{operand.type} does not become {target}, the type of '{parameter.name}', by itself",
        primary=this_is(operand),
        secondary=(Label(parameter.span, f"'{callee.name}' declares it here"),),
        notes=("arguments convert bool → int → float and f32 → f64, never the other way",),
        help=(f"convert it: `native.cast(x, {python_name(target)})`, or declare the parameter wider",),
    )


def pointer_argument_type(
    operand: Described, parameter: hir.Parameter, callee: hir.Function, target: DType
) -> Diagnostic:
    return Diagnostic(
        code="argument-type",
        message=f"'{parameter.name}' of '{callee.name}' points to {target}",
        primary=this_is(operand),
        secondary=(Label(parameter.span, "declared here"),),
        help=("declare both with one element type: memory is never reinterpreted",),
    )


def const_argument(operand: Described, parameter: hir.Parameter, callee: hir.Function) -> Diagnostic:
    return Diagnostic(
        code="const-argument",
        message=f"'{callee.name}' may write through '{parameter.name}', and this pointer is const",
        primary=this_is(operand),
        secondary=(Label(parameter.span, "declared mutable here"),),
        help=(f"declare '{parameter.name}' `native.const_ptr[…]`, or this pointer `native.ptr[…]`",),
    )


# ---------------------------------------------------------------- tiles and threads


def size_not_constant(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="tile-size",
        message="a tile's size is a constant",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("write a literal, a module constant or a `native.static[int]` parameter",),
    )


def tile_size(span: Span, size: int, limit: int) -> Diagnostic:
    above = 1
    while above < size and above < limit:
        above *= 2
    instead = f"`tile.arange({above})` with a mask `lane < {size}`" if 1 <= size < limit else f"at most {limit} lanes"
    return Diagnostic(
        code="tile-size",
        message=f"a tile of {size} lanes: a size is a power of two from 1 to {limit}",
        primary=Label(span, f"this is {size}"),
        help=(instead,),
    )


def shuffle_value(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="shuffle-operand",
        message="a shuffle passes one number to another thread",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("load the value first",),
    )


def shuffle_lane(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="shuffle-operand",
        message="a shuffle's mask, lane or delta is an integer",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("it is taken modulo 32",),
    )


# ---------------------------------------------------------------- launches


def launch_of_value(span: Span, kind: str) -> Diagnostic:
    dialect = "tile" if kind == "tile" else "cuda"
    return Diagnostic(
        code="launch-kernel",
        message=f"{dialect}.launch wants a kernel first",
        primary=Label(span),
        help=(f"name a function decorated `@{dialect}.kernel`",),
    )


def launch_kind(span: Span, kernel: hir.Function, kind: str) -> Diagnostic:
    dialect = "tile" if kind == "tile" else "cuda"
    right = {
        "tile": f"`tile.launch({kernel.name}, grid, …)`",
        "thread": f"`cuda.launch({kernel.name}, grid, block, …)`",
    }
    return Diagnostic(
        code="launch-kernel",
        message=f"{dialect}.launch runs {kind_word(kind)}, and '{kernel.name}' is {kind_word(kernel.kind)}",
        primary=Label(span),
        secondary=(Label(kernel.name_span, "defined here"),),
        help=(right.get(kernel.kind, "name a kernel"),),
    )


def launch_count(span: Span, kernel: hir.Function, count: int) -> Diagnostic:
    names = [parameter.name for parameter in kernel.parameters]
    return Diagnostic(
        code="launch-arguments",
        message=counted(f"'{kernel.name}'", names, count),
        primary=Label(span),
        secondary=(Label(kernel.name_span, "defined here"),),
        help=(
            f"after the grid{' and the block' if kernel.kind == 'thread' else ''} come: {', '.join(names) or 'none'}",
        ),
    )


def launch_dimensions(span: Span, word: str, count: int) -> Diagnostic:
    return Diagnostic(
        code="launch-size",
        message=f"a {word} has one to three sizes, and this has {count}",
        primary=Label(span),
        help=(f"`{word}` is an int or a tuple such as `(8, 4)`",),
    )


def launch_size(operand: Described, word: str) -> Diagnostic:
    return Diagnostic(
        code="launch-size",
        message=f"a {word}'s sizes are ints",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("`(n + 255) // 256` rounds up and stays an int",),
    )


def static_argument(operand: Described, parameter: hir.Parameter, kernel: hir.Function) -> Diagnostic:
    return Diagnostic(
        code="static-argument",
        message=f"'{parameter.name}' of '{kernel.name}' is native.static[int]: known before the launch",
        primary=this_is(operand),
        secondary=(Label(parameter.span, "declared here"),),
        help=("pass a literal or a module constant; from ordinary Python any int can be passed",),
    )


def instance_values(kernel: hir.Function, wanted: int) -> Diagnostic:
    """Values for static parameters, given from outside, that are too many or too few."""
    return Diagnostic(
        code="static-argument",
        message=f"an instance of '{kernel.name}' wants {wanted} value{'' if wanted == 1 else 's'}",
        primary=Label(kernel.name_span),
        help=("give one value for each `native.static[int]` parameter",),
    )
