"""KIR: what one thread does. No tile and no vendor's spelling; expressions are trees, statements are lines of the output.

A tile program's lanes appear as `LaneLoop`s: a body of scalars over the elements that one thread holds. A value that lives
across loops is a `Vec`. Names are unique C++ identifiers, the user's kept where they can be. `exact` on an integer
operation says that the plain C++ operator is right (no overflow, no sign fix-up, no zero divisor: proved by ranges);
otherwise the emitter spells the contract's meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from transpile.dtypes import DType
from transpile.source import NOWHERE, Span
from transpile.typing.types import Pointer, Scalar, Space, Vec


VarType: TypeAlias = Scalar | Pointer | Vec


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Lit:
    value: bool | int | float
    dtype: DType


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, parameter, lane-loop counter or array by its C++ name."""

    name: str
    type: VarType


@dataclass(frozen=True, slots=True)
class Place:
    """Where this thread is: `program` is the tile program's id, `thread` the thread's number in a tile program (always
    axis 0), the rest as in TIR. i64."""

    kind: Literal["program_id", "num_programs", "thread_id", "block_id", "block_dim", "grid_dim", "lane_thread"]
    axis: int


@dataclass(frozen=True, slots=True)
class Apply:
    """A row of `transpile.ops` on scalars; `where` is the lazy `a ? b : c` of C++ (a masked load stands under one)."""

    op: str
    operands: tuple[Expr, ...]
    dtype: DType
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Cast:
    operand: Expr
    dtype: DType
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """`base[index]` (pointer or array) or `base.at[index]` (vec); read as an expression, written as a target."""

    base: Expr
    index: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class PointerAdd:
    base: Expr
    index: Expr
    type: Pointer


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    operands: tuple[Expr, ...]
    dtype: DType


@dataclass(frozen=True, slots=True)
class Shuffle:
    kind: Literal["xor", "idx", "up", "down"]
    operand: Expr
    lane: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Fold:
    """The block-wide (GPU) or whole-tile (CPU) fold of `source`, a vec of the thread's lanes, to one scalar that every
    thread gets. `lanes` is the tile's size, `threads` the block's; `stage` names the shared array, if one is needed."""

    op: str
    source: Expr
    lanes: int
    threads: int
    stage: str | None
    dtype: DType


@dataclass(frozen=True, slots=True)
class Shared:
    """A value of thread 0, handed to every thread of the program through `stage`."""

    value: Expr
    stage: str
    dtype: DType


Expr: TypeAlias = Lit | Var | Place | Apply | Cast | Element | PointerAdd | Call | Shuffle | Fold | Shared


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Comment:
    """The Python statement that begins here."""

    text: str
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Declare:
    """`const T name = value;` or, where `mutable`, a variable that is assigned later too (`value` None: uninitialised)."""

    var: Var
    value: Expr | None
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class DeclareArray:
    """A C array: shared by the block, or local to the thread (`zeroed`)."""

    var: Var
    count: int
    space: Space
    zeroed: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    target: Var | Element
    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    cond: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`for (i = start; …; i += step)`. `down` where the step is a negative constant; a step of unknown sign is lowered to a
    `While` or a trip count before this."""

    var: Var
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    down: bool = False


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """`body` once for each of the `count` lanes that this thread holds, `var` counting from 0. With `stored_by`, only
    threads below that number run it (a tile smaller than the block is replicated; one copy of it touches memory)."""

    var: Var
    count: int
    body: tuple[Stmt, ...]
    owners: int | None = None


@dataclass(frozen=True, slots=True)
class ThreadLoop:
    """CPU only: `body` for each thread of the block (`group` None) or of one group of 32."""

    body: tuple[Stmt, ...]
    group: str | None = None


@dataclass(frozen=True, slots=True)
class GroupLoop:
    """CPU only: `body` for each group of 32 threads of the block, `var` its number."""

    var: Var
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Barrier:
    scope: Literal["block", "warp"]


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Return:
    value: Expr | None = None


Stmt: TypeAlias = (
    Comment
    | Declare
    | DeclareArray
    | Assign
    | If
    | For
    | While
    | LaneLoop
    | ThreadLoop
    | GroupLoop
    | Barrier
    | Break
    | Continue
    | Return
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
    """`threads` is the block of a tile kernel (1 on the CPU); None for thread kernels and device functions."""

    key: str
    name: str
    base: str
    kind: Literal["tile", "thread", "device"]
    parameters: tuple[Parameter, ...]
    result: Scalar | None
    body: tuple[Stmt, ...]
    threads: int | None = None
    summary: str = ""
    uses_shuffles: bool = False
    needs_group_rows: bool = False
    fast_math: bool = False
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Launch:
    """In a launcher: calls the kernel's entry point and returns its status unless it is ok."""

    kernel: str
    grid: tuple[Expr, ...]
    block: tuple[Expr, ...]
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """In a launcher: `name = a op b` in i64, or return the status (`overflow`, `zero_division`)."""

    var: Var
    op: str
    operands: tuple[Expr, ...]


HostStmt: TypeAlias = "Stmt | Launch | Checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    key: str
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[HostStmt, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    stem: str
    functions: tuple[Function, ...]
    launchers: tuple[Launcher, ...]
