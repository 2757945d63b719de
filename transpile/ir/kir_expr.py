"""KIR's expressions: trees of scalars, and of what a thread holds of a tile. See `kir`, which has these names too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from transpile.dtypes import DType
from transpile.typing.types import Count, Pointer, Scalar, Vec

VarType: TypeAlias = Scalar | Pointer | Vec
PlaceKind: TypeAlias = Literal[
    "program_id", "num_programs", "thread_id", "block_id", "block_dim", "grid_dim", "lane_thread"
]


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
    """Where this thread is, i64: `lane_thread` is the thread's number in a tile program (always axis 0; never on the
    CPU, where it is a literal 0), the rest as in TIR. On the CPU `thread_id` stands only inside a `ThreadLoop`."""

    kind: PlaceKind
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
    """`base[index]` (pointer or array; `*base` where index is a literal 0) or `base.at[index]` (vec); read as an
    expression, written as a target."""

    base: Expr
    index: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Groups:
    """GPU only: the `lanes` elements that one thread holds, in groups of `group` neighbours, `threads` groups apart;
    the first is `base[index]`. A vec: read as an expression, written as a target. Only lanes for which `mask` (a vec)
    is set touch memory; others are read as `other`. `is_aligned`: the program promises that the address is a multiple
    of the group's bytes; otherwise that is looked at as the kernel runs."""

    base: Expr
    index: Expr
    dtype: DType
    lanes: Count
    group: Count
    threads: Count
    mask: Var | None = None
    other: Expr | None = None
    is_aligned: bool = False


@dataclass(frozen=True, slots=True)
class Pack:
    """GPU only: scalars side by side, a vec."""

    operands: tuple[Expr, ...]
    dtype: DType


@dataclass(frozen=True, slots=True)
class Slot:
    """CPU only: one thread's copy of a variable that lives across a split, `name[index]`; declared by `DeclareSlots`.
    Read as an expression, written as a target. `var.type` is the type of one copy."""

    var: Var
    index: Expr


@dataclass(frozen=True, slots=True)
class PointerAdd:
    base: Expr
    index: Expr
    type: Pointer


@dataclass(frozen=True, slots=True)
class Call:
    """A device function, by its C++ name. `reports`: it prints, or may end the thread."""

    function: str
    operands: tuple[Expr, ...]
    dtype: DType
    reports: bool = False


@dataclass(frozen=True, slots=True)
class Shuffle:
    kind: Literal["xor", "idx", "up", "down"]
    operand: Expr
    lane: Expr
    dtype: DType


@dataclass(frozen=True, slots=True)
class Atomic:
    """The atomic row `op` on an element of memory, whose old value this is. Stands as the value of a statement, or
    right under the `where` of its mask, and nowhere deeper: each evaluation changes memory."""

    op: str
    place: Element
    value: Expr
    compare: Expr | None = None

    @property
    def dtype(self) -> DType:
        return self.place.dtype


@dataclass(frozen=True, slots=True)
class Fold:
    """The block-wide (GPU) or whole-tile (CPU) fold of `source`, a vec of the thread's lanes (a scalar where the thread
    holds one), to one scalar that every thread gets: the algorithm of `lir.Fold`, its fields the same. `stage` is the
    shared array, if one is needed."""

    op: str
    source: Expr
    lanes: Count
    threads: Count
    stage: Var | None
    dtype: DType
    replicas: Count = 1
    any_order: bool = False
    group: Count = 1


@dataclass(frozen=True, slots=True)
class Scan:
    """The block-wide (GPU) or whole-tile (CPU) scan of `source`, to the lanes of the result that this thread holds (a
    vec, or a scalar of a scalar): the algorithm of `lir.Scan`, its fields the same."""

    op: str
    source: Expr
    lanes: Count
    threads: Count
    stage: Var | None
    dtype: DType


@dataclass(frozen=True, slots=True)
class Shared:
    """The values of the first `lanes` threads, handed to every thread of the program through `stage`, or by a shuffle:
    `lir.ShareFirst`."""

    value: Expr
    stage: Var | None
    dtype: DType
    lanes: Count = 1


Target: TypeAlias = Var | Element | Groups | Slot
Expr: TypeAlias = (
    Lit
    | Var
    | Place
    | Apply
    | Cast
    | Element
    | Groups
    | Pack
    | Slot
    | PointerAdd
    | Call
    | Shuffle
    | Atomic
    | Fold
    | Scan
    | Shared
)
