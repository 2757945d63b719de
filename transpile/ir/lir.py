"""LIR: the same program with layouts: where each lane lives.

It has two forms, in order. *Laid out*: TIR's nodes, each `Tile` type carrying its `Layout`, conversions explicit. *Lowered*:
no tile is left; what a thread holds of a tile is a `Vec`, elementwise work stands in `LaneLoop`s over scalars, folds and
exchanges are explicit and every barrier is placed. Both are SSA as TIR is, and share its control nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.source import NOWHERE, Span
from transpile.typing.types import Space


@dataclass(frozen=True, slots=True)
class Effect:
    """What an operation does to memory: which space, which pointer parameter or buffer (`root`; None: any), read or write,
    how many bytes a lane, and when it is complete: at once, or when `token` is waited for."""

    space: Space
    root: Value | None
    kind: Literal["read", "write"]
    bytes: int
    token: Value | None = None


@dataclass(frozen=True, slots=True)
class Convert:
    """The same tile in another layout (laid-out form only)."""

    result: Value
    operand: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """`body` once for each of the `count` lanes that the thread holds, `counter` (i64 scalar) from 0. Inside are scalars only;
    the values that the body yields are collected, lane by lane, in `results` (of type `Vec`). With `owners`, only threads
    below that number run it: a tile smaller than the block is replicated and one copy of it touches memory."""

    counter: Value
    count: int
    body: tir.Block
    results: tuple[Value, ...]
    owners: int | None = None
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
    """The number of this thread in the block of a tile program: i64, 0 on a target where one thread holds every lane."""

    result: Value
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Fold:
    """The fold of all `lanes` of a tile, of which this thread holds `operand` (a `Vec`), handed to every thread. `stage` is the
    shared buffer that the threads meet in, if they need one; `replicas` how many threads hold each lane."""

    result: Value
    op: str
    operand: Value
    lanes: int
    threads: int
    stage: Value | None
    replicas: int = 1
    span: Span = field(compare=False, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class ShareFirst:
    """The scalar of thread 0, handed to every thread of the program through `stage` (a read that must happen once)."""

    result: Value
    operand: Value
    stage: Value
    span: Span = field(compare=False, default=NOWHERE)


Op: TypeAlias = tir.Op | Convert | LaneLoop | LaneGet | Thread | Fold | ShareFirst
