"""LIR: the same program with layouts: where each lane lives.

It has two forms, in order. *Laid out*: TIR's nodes, each `Tile` type carrying its `Layout`, conversions explicit.
*Lowered*: no tile is left; what a thread holds of a tile is a `Vec` (a `Scalar` where that is one lane), elementwise
work stands in `LaneLoop`s over scalars, accesses of several lanes at once between these, folds and exchanges are
explicit and every barrier is placed. Both are SSA as TIR is, and share its control nodes: `block` and `ops_of` are
how LIR ops are put into a `tir.Block` and taken out again.

In the lowered form every scalar that a condition or a bound reads is the same in all threads of a program, so all
control flow around a `Barrier`, `Fold`, `Scan` or `ShareFirst` is uniform; only `If`s on a comparison of `Thread` are
not, and hold nothing but one `Store`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.source import NOWHERE, Span
from transpile.typing.types import Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What an operation does to memory: which space, which pointer parameter or buffer (`root`; None: any), read or
    write, how many bytes a lane, and when it is complete: at once, or when `token` is waited for.

    `pointer` and `offsets` (None: index 0) are those of the laid-out program, `lanes` how many lanes it has (None:
    one access of the first thread), `replicas` how many threads make each access.
    """

    space: Space
    root: Value | None
    kind: Literal["read", "write"]
    bytes: int
    pointer: Value | None = None
    offsets: Value | None = None
    lanes: int | None = None
    replicas: int = 1
    token: Value | None = None


@dataclass(frozen=True, slots=True)
class Convert:
    """The same tile in another layout (laid-out form only)."""

    result: Value
    operand: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class LaneFold:
    """`result` (a scalar) folds what `source` (a scalar of the loop's body) is in the lanes of a loop, from
    `start`. Only of operations that are exact in any order."""

    result: Value
    op: str
    source: Value
    start: bool | int | float


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """`body` once for each of the `count` (at least 2) lanes that the thread holds, `counter` (i64 scalar) from 0.
    Inside are scalars only, and no control flow. The values that the body yields are collected, lane by lane, in
    `results` (of type `Vec`); `folds` are accumulated as the loop runs. `effects` are what the body does to memory."""

    counter: Value
    count: int
    body: tir.Block
    results: tuple[Value, ...]
    folds: tuple[LaneFold, ...] = ()
    effects: tuple[Effect, ...] = field(compare=False, default=())
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class LoadGroups:
    """What a thread holds of a load whose lanes are neighbours in memory: `result` is a `Vec`. Lane k is at
    `first` + (k // group) * threads * group + k % group, so that each group of lanes is in one piece. Masked-off lanes
    (`mask` is a `Vec` of bools) touch no memory and are `other`."""

    result: Value
    pointer: Value
    first: Value
    group: int
    threads: int
    mask: Value | None = None
    other: Value | None = None
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class StoreGroups:
    """Writes the lanes of `value`, a `Vec`, where `LoadGroups` reads them; masked-off lanes are left alone."""

    pointer: Value
    first: Value
    value: Value
    group: int
    threads: int
    mask: Value | None = None
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class LaneGet:
    """One lane of a `Vec`, at the lane loop's counter (or a constant)."""

    result: Value
    operand: Value
    lane: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Thread:
    """The number of this thread in the block of a tile program: i64. Absent where one thread holds every lane."""

    result: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Fold:
    """The fold, by the reduction row `op`, of all `lanes` of a tile, handed to every thread. Of them this thread
    holds `operand`: a `Vec` whose lane k is the tile's lane k * threads + thread, or a `Scalar` where that is one
    lane: lane thread % lanes, held by `replicas` = threads / lanes threads where the tile is smaller than the
    block.

    The order is by lane index, halving: the vec's upper half into its lower half until one is left, then the threads:
    with m = min(lanes, threads), thread t takes t + m/2, then t + m/4, …, the first threads' values only counting
    once. Where m > 32 the threads meet in `stage` (m elements of shared memory): the first m write theirs, *the
    fold's own block barrier*, and every thread reads position t % 32 of each of the m / 32 warps, folds those by
    halving, then the lanes of its warp by xor shuffles. Where m <= 32 `stage` is None: shuffles of steps m/2 … 1
    alone, and no barrier. The barrier before `stage` is written again is placed by the lowering where one is needed.
    `any_order`: the result is the same in any order, so the cheapest may be taken; then a scalar `operand` may
    already be the fold of several lanes.

    `group` above 1 (not in `any_order`): the vec's lanes are those of `LoadGroups`. It is halved until one group is
    left, which are the lanes t * group + k of what is folded still; through `stage` (threads * group elements, and a
    block barrier more) thread t gets its lanes k * threads + t instead, and all goes on as above.
    """

    result: Value
    op: str
    operand: Value
    lanes: int
    threads: int
    stage: Value | None
    replicas: int = 1
    any_order: bool = False
    group: int = 1
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Scan:
    """The scan, by the row `op`, of all `lanes` of a tile, held as `Fold` says; every thread gets the lanes it holds.

    Blocks of 32 lanes lie side by side in the threads of a warp, so each is scanned by shuffles. Of more lanes than
    that the last of each block goes to `stage` (lanes / 32 elements of shared memory; of more than 32 blocks, what
    blocks of these come to stands behind them, and so on). There, after *the scan's own block barrier*, these are
    scanned, and each thread takes what stands before its own blocks. The barrier before
    `stage` is written again is placed by the lowering where one is needed.
    """

    result: Value
    op: str
    operand: Value
    lanes: int
    threads: int
    stage: Value | None
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class ShareFirst:
    """The scalars of the first `lanes` threads, handed to every thread of the program: thread t gets that of thread
    t % lanes (a read or an atomic that must happen once). The first write theirs to `stage` (`lanes` elements of shared
    memory), the node's own block barrier, and all read. Without a stage the program is one warp, and a shuffle does.
    The operand may be evaluated by the first threads alone."""

    result: Value
    operand: Value
    stage: Value | None
    span: Span = field(compare=False, default=NOWHERE)
    lanes: int = 1


Op: TypeAlias = tir.Op | Convert | LaneLoop | LoadGroups | StoreGroups | LaneGet | Thread | Fold | Scan | ShareFirst


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A lowered tile kernel. One program is `threads` threads, each of which holds up to `held` lanes of a tile (0:
    the kernel has no tile). Shared buffers are `Alloc`s at the start of the body; they never overlap."""

    function: tir.Function
    threads: int
    held: int


def block(ops: Sequence[Op], end: tir.Terminator) -> tir.Block:
    """A block that may hold LIR's ops."""
    return tir.Block(cast("tuple[tir.Op, ...]", tuple(ops)), end)


def ops_of(block: tir.Block) -> tuple[Op, ...]:
    """What a block of LIR holds."""
    return cast("tuple[Op, ...]", block.ops)
