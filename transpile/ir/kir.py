"""KIR: what one thread does. No tile and no vendor's spelling; expressions are trees, statements are lines of the
output.

A tile program's lanes appear as `LaneLoop`s: a body of scalars over the elements that one thread holds. A value that
lives across loops is a `Vec`. Names are unique C++ identifiers, the user's kept where they can be. `exact` on an
integer operation says that the plain C++ operator is right (no overflow, no sign fix-up, no zero divisor: proved by
ranges); otherwise the emitter spells the language's meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

# isort: off
from transpile.ir.kir_expr import (
    Apply as Apply,
    Atomic as Atomic,
    Call as Call,
    Cast as Cast,
    Element as Element,
    Expr as Expr,
    Fold as Fold,
    Groups as Groups,
    Pack as Pack,
    Lit as Lit,
    Place as Place,
    PlaceKind as PlaceKind,
    PointerAdd as PointerAdd,
    Scan as Scan,
    Shared as Shared,
    Shuffle as Shuffle,
    Slot as Slot,
    Target as Target,
    Var as Var,
    VarType as VarType,
)

# isort: on
from transpile.dtypes import DType
from transpile.source import NOWHERE, Span
from transpile.typing.types import Count, Scalar, Size, Space, TypeParameter

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Comment:
    """The Python statement that begins here."""

    text: str
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Declare:
    """`const T name = value;` or, where `mutable`, a variable that is assigned later too (`value` None:
    uninitialised)."""

    var: Var
    value: Expr | None
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class DeclareArray:
    """A C array: shared by the block, or local to the thread (`zeroed`). `is_aligned`: several elements are accessed at
    once, so that it begins at a multiple of 16. One shared array of a kernel may have a parameter as its `count`."""

    var: Var
    count: Count | Var
    space: Space
    zeroed: bool = False
    is_aligned: bool = False


@dataclass(frozen=True, slots=True)
class DeclareSlots:
    """CPU only: for each thread of the block (1024 at most), or of a group of 32 (`group`), `count` elements of
    `var.type`. With `count` 1 they are reached by `Slot`; otherwise `var` is a C array of `count` elements a thread,
    thread after thread, reached by `Element` and `PointerAdd`. `zeroed` as in `DeclareArray`. Large ones belong off the
    stack."""

    var: Var
    count: Count = 1
    zeroed: bool = False
    group: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    target: Target
    value: Expr


@dataclass(frozen=True, slots=True)
class Evaluate:
    """`value;`, for what it does to memory."""

    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    cond: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`for (i = start; i < stop; i += step)`, `i > stop` where `down` (a negative step); `stop` and `step` do not
    change in the body. `counted` where that is not right as it stands (a step of unknown sign, or `i += step` may
    overflow): then `for (const int64_t i : range(start, stop, step))`, which counts the turns beforehand, 0 for a step
    of 0."""

    var: Var
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    down: bool = False
    counted: bool = False


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """`body` once for each of the `count` lanes (2 or more) that this thread holds, `var` counting from 0. With
    `owners`, only threads below that number run it (a tile smaller than the block is replicated; one copy of it touches
    memory)."""

    var: Var
    count: Count
    body: tuple[Stmt, ...]
    owners: Count | None = None


@dataclass(frozen=True, slots=True)
class ThreadLoop:
    """CPU only: `body` for each thread of the block (`group` None; x fastest, so that the innermost C++ loop is over x)
    or of one group of 32 consecutive threads (`group` is the `GroupLoop`'s counter). `thread` counts the block's
    threads from 0, x + X * (y + Y * z), `lane` the group's; each is None where the body does not read it. With `first`
    only the first thread of the block or group runs it: what is uniform is worked out once. With `x`, a number that
    every block has, only the threads of the block at that x do. `Continue` goes to the next thread."""

    body: tuple[Stmt, ...]
    group: Var | None = None
    thread: Var | None = None
    lane: Var | None = None
    first: bool = False
    x: int | None = None


@dataclass(frozen=True, slots=True)
class GroupLoop:
    """CPU only: `body` for each group of 32 threads of the block, `var` its number; the last may be partial (not in a
    kernel that `uses_shuffles`). `Continue` goes to the next group."""

    var: Var
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Barrier:
    scope: Literal["block", "warp"]


@dataclass(frozen=True, slots=True)
class Print:
    """Writes a text: `tir.Print`."""

    texts: tuple[str, ...]
    operands: tuple[Expr, ...]
    forms: tuple[str, ...]
    is_of_program: bool = False


@dataclass(frozen=True, slots=True)
class Assert:
    """Ends the thread (on the CPU, the program or block) where `cond` is false: `tir.Assert`."""

    cond: Expr
    text: str
    message: str
    place: tuple[Expr, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Return:
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """In a launcher: calls the kernel's entry point and returns its status unless it is ok. `kernel` is the function's
    key; `arguments` leave out its static parameters; `block` is empty for a tile kernel."""

    kernel: str
    grid: tuple[Expr, ...]
    block: tuple[Expr, ...]
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """In a launcher: `var = a op b` in the type of `var`, or return the status (`overflow`, `zero_division`).
    `declares` where the variable begins here. Integers: add sub mul neg abs floordiv mod shl shr, and
    int of a float; floats: truediv floordiv mod by zero."""

    var: Var
    op: str
    operands: tuple[Expr, ...]
    declares: bool = True


Stmt: TypeAlias = (
    Comment
    | Declare
    | DeclareArray
    | DeclareSlots
    | Assign
    | Evaluate
    | If
    | For
    | While
    | LaneLoop
    | ThreadLoop
    | GroupLoop
    | Barrier
    | Print
    | Assert
    | Break
    | Continue
    | Return
    | Launch
    | Checked
)


# ---------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """`restrict` where no other pointer of a launch may reach the same elements."""

    var: Var
    static: int | None = None
    restrict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """`name` is the C++ identifier. Parameters are never assigned. `threads` is the block of a tile kernel (1 on the
    CPU); None for thread kernels and device functions.

    Instances of one kernel whose bodies differ only in whole numbers and types of floats share a `template`: a function
    with the `sizes` that they differ in, i64 variables in its body, and the `kinds`. An instance's `name` is then
    `template<arguments>`; its body is the template's for these arguments, but for casts of a type to itself.
    `types` are what the kernel's type variables, called `variables`, are.
    """

    key: str
    name: str
    base: str
    kind: Literal["tile", "thread", "device"]
    parameters: tuple[Parameter, ...]
    result: Scalar | None
    body: tuple[Stmt, ...]
    threads: Count | None = None
    summary: str = ""
    uses_shuffles: bool = False
    needs_group_rows: bool = False
    fast_math: bool = False
    template: Function | None = None
    sizes: tuple[Size, ...] = ()
    kinds: tuple[TypeParameter, ...] = ()
    types: tuple[DType, ...] = ()
    variables: tuple[str, ...] = ()
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    key: str
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Stmt, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    stem: str
    functions: tuple[Function, ...]
    launchers: tuple[Launcher, ...]
