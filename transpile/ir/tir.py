"""TIR: the typed program of one program (tile kernel), one thread (thread kernel), one call (device function) or one
host call (launcher). The interpreter runs it; everything after it only decides where and how.

Structured SSA: each `Value` is defined once; `If`, `For` and `While` hold blocks that take and yield carried values.
Casts and broadcasts are explicit, tile shapes static, stores go only through writable pointers. A block ends in one
terminator: `Yield` (falls out of the `If` or to the next turn of the loop), `Break`, `Continue`, `Return` or, for the
test of a `While`, `Condition`. `Break` and `Continue` name the values that their innermost loop carries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from transpile.ir.tir_module import (
    Function as Function,
)
from transpile.ir.tir_module import (
    FunctionKind as FunctionKind,
)
from transpile.ir.tir_module import (
    Module as Module,
)
from transpile.ir.tir_module import (
    Parameter as Parameter,
)
from transpile.source import NOWHERE, Span
from transpile.typing.types import Space, Type


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `name` is the user's name for it, or empty. Equality is by `id`, unique in a function."""

    id: int
    type: Type = field(compare=False)
    name: str = field(compare=False, default="")
    span: Span = field(compare=False, default=NOWHERE, repr=False)


# ---------------------------------------------------------------- values without effects


@dataclass(frozen=True, slots=True)
class Const:
    """A scalar constant, already of the result's dtype (a float may be inf or nan)."""

    result: Value
    value: bool | int | float
    span: Span = field(compare=False, default=NOWHERE)


IndexKind: TypeAlias = Literal["program_id", "num_programs", "thread_id", "block_id", "block_dim", "grid_dim"]


@dataclass(frozen=True, slots=True)
class Index:
    """Where this program or thread is, or how many there are, along `axis` (0 to 2): i64."""

    result: Value
    kind: IndexKind
    axis: int
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Arange:
    """0, 1, … size - 1 as tile[i64, size]; of a 2-D result, along `axis`, the other axis of size 1."""

    result: Value
    size: int
    axis: int = 0
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Apply:
    """An elementwise operation: `op` names a row of `transpile.ops`. Operands are all scalars or all tiles of one
    shape, of the dtypes that the row's signature gives. `where` takes a bool first."""

    result: Value
    op: str
    operands: tuple[Value, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion (language.md, Types) to the result's dtype; the shape stays."""

    result: Value
    operand: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Broadcast:
    """A scalar, or a tile whose axes of size 1 are stretched, as a tile of the result's shape."""

    result: Value
    operand: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Reduce:
    """`op` is a reduction row. `axis` None folds a whole tile to a scalar; otherwise that axis is left with size 1.
    The operand already has the dtype in which the fold computes; order: by index, halving."""

    result: Value
    op: str
    operand: Value
    axis: int | None = None
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Scan:
    """`op` is a scan row, along a 1-D tile: lane i of the result joins lanes 0 to i of the operand, in the order of
    `ops.scan.running`. The operand already has the dtype in which that computes."""

    result: Value
    op: str
    operand: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Call:
    """A device function of the module, applied to scalars, or lane by lane to tiles of one shape. `reports`: it prints
    or asserts, so that it is called where it stands, whoever reads its result."""

    result: Value
    function: str
    operands: tuple[Value, ...]
    reports: bool = False
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Pack:
    """Scalars of one dtype side by side, as a `Vec`: what one store writes to neighbouring elements."""

    result: Value
    operands: tuple[Value, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Part:
    """Scalar `place` of a `Vec` that one load read."""

    result: Value
    operand: Value
    place: int
    span: Span = field(compare=False, default=NOWHERE)


# ---------------------------------------------------------------- memory


@dataclass(frozen=True, slots=True)
class Alloc:
    """`cuda.shared[T, N]()` (one buffer a block, undefined) or `native.stack_alloc[T](n)` (a zeroed array a thread). A
    `count` that only the launch knows is a parameter of the kernel, of one shared array at most."""

    result: Value
    space: Space
    count: int | Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Offset:
    """The pointer `index` elements further on (negative: back)."""

    result: Value
    pointer: Value
    index: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Load:
    """Reads at `offsets` (None: at the pointer itself). Scalar offsets read once a program or thread; tile offsets give
    a tile. `mask` None is all true; masked-off lanes give `other`, and `other` is present where `mask` is. A result of
    type `Vec` (thread kernels, at the pointer itself) is as many neighbours, at an address that is a multiple of their
    size together."""

    result: Value
    pointer: Value
    offsets: Value | None = None
    mask: Value | None = None
    other: Value | None = None
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Store:
    """Writes `value` at `offsets`; all of offsets, value and mask are scalars, or all tiles of one shape. A `Vec` is
    written as a load reads it."""

    pointer: Value
    offsets: Value | None
    value: Value
    mask: Value | None = None
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Atomic:
    """Changes the element at `offsets` in one access, by the atomic row `op`; `result` is what stood there before (None
    where nobody reads it). Scalar offsets: once a program or thread; tile offsets: once a lane, equal ones each
    counting. Masked-off lanes touch no memory and give 0. `compare` is there for `cas` alone."""

    result: Value | None
    op: str
    pointer: Value
    offsets: Value | None
    value: Value
    compare: Value | None = None
    mask: Value | None = None
    span: Span = field(compare=False, default=NOWHERE)


# ---------------------------------------------------------------- between threads


@dataclass(frozen=True, slots=True)
class Barrier:
    """`syncthreads` (block) or `syncwarp` (warp: a group of 32)."""

    scope: Literal["block", "warp"]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Reads another thread's `operand` in the group of 32; `lane` is i64, taken modulo 32."""

    result: Value
    kind: Literal["xor", "idx", "up", "down"]
    operand: Value
    lane: Value
    span: Span = field(compare=False, default=NOWHERE)


# ---------------------------------------------------------------- reports


@dataclass(frozen=True, slots=True)
class Print:
    """Writes a text at once: `texts[0]`, then each operand (bool, i32, i64, u32, u64, f32 or f64) in its form and the
    text behind it. A form is one of C's printf without the length of the argument: `%d`, `%.17g`, `%s` for a bool.
    `is_of_program`: once for a program of a tile kernel, however many threads it is."""

    texts: tuple[str, ...]
    operands: tuple[Value, ...]
    forms: tuple[str, ...]
    is_of_program: bool = False
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Assert:
    """Where `cond` is false the program or thread ends, and its launch has failed. `text` is the condition as written.
    `place` says where: the program (x, or x, y, z), or block and thread (one each, or three); nothing in Python."""

    cond: Value
    text: str
    message: str
    place: tuple[Value, ...] = ()
    span: Span = field(compare=False, default=NOWHERE)


# ---------------------------------------------------------------- control


@dataclass(frozen=True, slots=True)
class Note:
    """A Python statement begins here: its text, on one line, for readers of the output. Means nothing."""

    text: str
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class If:
    """Runs one block. Where a block yields, its values become `results`, in order."""

    cond: Value
    then: Block
    orelse: Block
    results: tuple[Value, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class For:
    """Counts `index` from `start` by `step` while short of `stop` (or past it, step negative); bounds are read once; a
    step of 0 runs no turn. `carried` are the body's names for what starts as `inits`; `results` what it ends with."""

    index: Value
    start: Value
    stop: Value
    step: Value
    inits: tuple[Value, ...]
    carried: tuple[Value, ...]
    body: Block
    results: tuple[Value, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class While:
    """Runs `test` (ends in `Condition`), then `body`, as long as it says true. Both see `carried`."""

    inits: tuple[Value, ...]
    carried: tuple[Value, ...]
    test: Block
    body: Block
    results: tuple[Value, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Launch:
    """In a launcher: runs a kernel. `block` is empty for a tile kernel; grid and block are padded to three i64;
    `arguments` leave out the static ones, whose values are in the key `kernel`."""

    kernel: str
    grid: tuple[Value, ...]
    block: tuple[Value, ...]
    arguments: tuple[Value, ...]
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Yield:
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Break:
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Continue:
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Return:
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    value: Value


Terminator: TypeAlias = Yield | Break | Continue | Return | Condition
Op: TypeAlias = (
    Const
    | Index
    | Arange
    | Apply
    | Cast
    | Broadcast
    | Reduce
    | Scan
    | Call
    | Pack
    | Part
    | Alloc
    | Offset
    | Load
    | Store
    | Atomic
    | Barrier
    | Shuffle
    | Print
    | Assert
    | Note
    | If
    | For
    | While
    | Launch
)


@dataclass(frozen=True, slots=True)
class Block:
    ops: tuple[Op, ...]
    end: Terminator
