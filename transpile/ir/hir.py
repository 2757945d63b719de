"""HIR: what the user wrote, with names resolved. Only supported syntax; no libcst object gets this far.

An expression names what it refers to (`Local`, `Constant`, `Callee`), so that no later pass looks a name up.
What cannot be used where it stands is already reported and left as `Poison`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from transpile.dtypes import DType

# isort: off
from transpile.ir.hir_annotations import (
    Annotation as Annotation,
    PointerAnnotation as PointerAnnotation,
    ScalarAnnotation as ScalarAnnotation,
    StaticAnnotation as StaticAnnotation,
    TypeVariable as TypeVariable,
)

# isort: on
from transpile.source import NOWHERE, SourceFile, Span

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Poison:
    """An expression that was already reported; nothing more is said of it."""

    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class LiteralNumber:
    """A bool, int or float written in place."""

    value: bool | int | float
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter or a name assigned in this function."""

    name: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A captured value: a module-level name, or a cell of the enclosing function. `name` is as the user wrote it."""

    name: str
    value: bool | int | float
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DTypeName:
    """A dtype where a value may stand: `native.f32` in `tile.cast(x, native.f32)`, or `float`."""

    dtype: DType
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`op` is `neg`, `pos`, `invert` or `not`."""

    op: Literal["neg", "pos", "invert", "not"]
    operand: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """`op` is a row name of `transpile.ops`, or `pow`."""

    op: str
    left: Expression
    right: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Logic:
    """`a and b`, `a or b`: short-circuits."""

    op: Literal["and", "or"]
    left: Expression
    right: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """`a < b <= c`: `ops` (eq ne lt le gt ge) stand between `operands`. The middle is evaluated once."""

    ops: tuple[str, ...]
    operands: tuple[Expression, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`then if test else orelse`."""

    test: Expression
    then: Expression
    orelse: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A name of the language: `tile.load`, `cuda.shfl_xor`, `native.offset`, `math.sqrt`, `builtin.abs`."""

    name: str


@dataclass(frozen=True, slots=True)
class AllocCallee:
    """`cuda.shared[T, N]`, `native.stack_alloc[T]`, `cuda.device_alloc[T]`; `counts` are the sizes of `shared`: one, or
    rows and columns."""

    name: str
    dtype: DType
    counts: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionCallee:
    """A function of the program: `Function.key` of a device function, kernel or launcher."""

    key: str


Callee: TypeAlias = Intrinsic | AllocCallee | FunctionCallee


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function named where a value stands: the first argument of `tile.launch` or `tile.map`."""

    key: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    keyword: str | None
    value: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    callee: Callee
    arguments: tuple[Argument, ...]
    span: Span = field(compare=False)
    callee_span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class TupleExpression:
    """Only where the language wants one: a grid, a block, the right side of a tuple assignment, `divmod`'s result."""

    items: tuple[Expression, ...]
    span: Span = field(compare=False)


Expression: TypeAlias = (
    Poison
    | LiteralNumber
    | Local
    | Constant
    | DTypeName
    | Unary
    | Binary
    | Logic
    | Compare
    | Conditional
    | Call
    | FunctionName
    | TupleExpression
)


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Target:
    """One name on the left, or several (`a, b = …`); nested tuples are refused by the frontend."""

    names: tuple[str, ...]
    is_tuple: bool
    spans: tuple[Span, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """`t1 = t2 = value`. The right side is read before any target is written."""

    targets: tuple[Target, ...]
    value: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AnnotatedAssign:
    """`name: T = value`; the local has exactly the type T. `value` None only declares."""

    name: str
    annotation: Annotation
    value: Expression | None
    span: Span = field(compare=False)
    name_span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class AugmentedAssign:
    """`name op= value`; `op` as in `Binary`."""

    name: str
    op: str
    value: Expression
    span: Span = field(compare=False)
    name_span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class ExpressionStatement:
    value: Expression
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class If:
    """`header` is the span of `if test:` alone (for comments and messages); `span` is the whole statement."""

    test: Expression
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]
    span: Span = field(compare=False)
    header: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class For:
    """`for name in range(start, stop, step)`; absent bounds are literals 0 and 1."""

    name: str
    start: Expression
    stop: Expression
    step: Expression
    body: tuple[Statement, ...]
    span: Span = field(compare=False)
    header: Span = field(compare=False, default=NOWHERE)
    name_span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class While:
    test: Expression
    body: tuple[Statement, ...]
    span: Span = field(compare=False)
    header: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Break:
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Pass:
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Shown:
    """A value in the text of a `print`: `spec` is what an f-string says of its form, after the colon."""

    value: Expression
    spec: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Print:
    """`print(…)`: its text from left to right, with `sep` and `end`."""

    parts: tuple[str | Shown, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert test, message`; an empty message where there is none."""

    test: Expression
    message: str
    span: Span = field(compare=False)


Statement: TypeAlias = (
    Assign
    | AnnotatedAssign
    | AugmentedAssign
    | ExpressionStatement
    | If
    | For
    | While
    | Break
    | Continue
    | Return
    | Pass
    | Print
    | Assert
)


# ---------------------------------------------------------------- functions

FunctionKind: TypeAlias = Literal["tile", "thread", "device", "launcher"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    name: str
    annotation: Annotation
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One kernel, device function or launcher.

    `key` is unique in a `Module` (the name; `module.name` for one imported from another file). `captured` lists every
    constant that the body reads, in source order, with its value: part of the kernel's identity, as are the `types`
    that names of the module stand for. A generic function has `variables`, in the order of its pointer parameters.
    """

    key: str
    name: str
    kind: FunctionKind
    parameters: tuple[Parameter, ...]
    returns: ScalarAnnotation | None
    body: tuple[Statement, ...]
    locals: tuple[str, ...]
    captured: tuple[tuple[str, bool | int | float], ...]
    types: tuple[tuple[str, str], ...] = ()
    variables: tuple[TypeVariable, ...] = ()
    alias: bool = False
    fast_math: bool = False
    span: Span = field(compare=False)
    name_span: Span = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """The functions of one file and the device functions that they reach in others, callees before callers.

    `skipped` lists the module-level functions that stay Python, with the reason, for `check`.
    """

    source: SourceFile
    stem: str
    functions: tuple[Function, ...]
    files: tuple[SourceFile, ...]
    skipped: tuple[tuple[str, str], ...] = ()

    def function(self, key: str) -> Function:
        return next(function for function in self.functions if function.key == key)
