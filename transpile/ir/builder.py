"""Builds TIR: numbers the values, works out result types and collects the ops of nested blocks.

It knows shapes and dtypes, not the language's rules: operands must already agree. It never reports to a user.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.dtypes import DType
from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS, accumulator
from transpile.source import NOWHERE, Span
from transpile.typing.types import Pointer, Scalar, Space, Tile, Type, Vec


def dtype_of(value: Value) -> DType:
    """The element type of a scalar, tile, pointer or vec."""
    return value.type.dtype


def with_dtype(kind: Type, dtype: DType) -> Type:
    """`kind`, scalar or tile, with another element type."""
    match kind:
        case Scalar():
            return Scalar(dtype)
        case Tile():
            return Tile(dtype, kind.shape, kind.layout)
    raise InternalError("neither a scalar nor a tile", kind)


_NEWEST: Final = 16


def _renamed(op: tir.Op, value: Value, name: str) -> tuple[tir.Op, Value] | None:
    """`op` with its result `value` called `name`, if it has that result."""
    named = replace(value, name=name)
    match op:
        case tir.If():
            if value not in op.results:
                return None
            return replace(op, results=tuple(named if result == value else result for result in op.results)), named
        case tir.Store() | tir.Barrier() | tir.Note() | tir.Launch() | tir.For() | tir.While():
            return None
        case tir.Print() | tir.Assert():
            return None
        case _:
            return (replace(op, result=named), named) if op.result == value else None


@dataclass
class Builder:
    """Appends ops to the innermost open block. `span` is stamped on what is built until it is changed.

    `casts` tells of each cast that was asked for, in order, whether it changes the type of a float. Those whose places
    are in `forced` are made even where they change nothing: other instances of the function change a type there.
    """

    span: Span = NOWHERE
    forced: frozenset[int] = frozenset()
    casts: list[bool] = field(default_factory=list)
    _next: int = 0
    _open: list[list[tir.Op]] = field(default_factory=lambda: [[]])

    def fresh(self, kind: Type, name: str = "") -> Value:
        """A value that nothing defines yet: a parameter, a counter, a carried value."""
        self._next += 1
        return Value(self._next, kind, name, self.span)

    def add(self, op: tir.Op) -> None:
        self._open[-1].append(op)

    def block(self, build: Callable[[], tir.Terminator]) -> tir.Block:
        """The block of the ops that `build` adds; it returns the terminator."""
        self._open.append([])
        try:
            end = build()
        finally:
            ops = self._open.pop()
        return tir.Block(tuple(ops), end)

    def open_block(self) -> None:
        """Ops go to a new innermost block, until `close_block`."""
        self._open.append([])

    def close_block(self) -> list[tir.Op]:
        """The ops since `open_block`; ops go to the block around again."""
        return self._open.pop()

    def extend(self, ops: Sequence[tir.Op]) -> None:
        """Appends ops that were collected apart."""
        self._open[-1].extend(ops)

    def name_result(self, value: Value, name: str) -> Value:
        """Gives an unnamed value a name, if one of the newest ops of this block defines it."""
        ops = self._open[-1]
        for place in range(len(ops) - 1, max(len(ops) - _NEWEST, 0) - 1, -1):
            renamed = _renamed(ops[place], value, name)
            if renamed is not None:
                ops[place], named = renamed
                return named
        return value

    def finish(self, end: tir.Terminator) -> tir.Block:
        """The outermost block."""
        return tir.Block(tuple(self._open[0]), end)

    # ------------------------------------------------------------ values

    def const(self, value: bool | int | float, dtype: DType, name: str = "") -> Value:
        result = self.fresh(Scalar(dtype), name)
        self.add(tir.Const(result, value, self.span))
        return result

    def index(self, kind: tir.IndexKind, axis: int = 0, name: str = "") -> Value:
        result = self.fresh(Scalar(dtypes.I64), name)
        self.add(tir.Index(result, kind, axis, self.span))
        return result

    def arange(self, size: int, name: str = "") -> Value:
        result = self.fresh(Tile(dtypes.I64, (size,)), name)
        self.add(tir.Arange(result, size, 0, self.span))
        return result

    def apply(self, op: str, *operands: Value, name: str = "") -> Value:
        """`operands` agree in shape and dtype already; `where` takes its condition first."""
        row = OPERATIONS[op]
        kind = operands[-1].type
        result = self.fresh(with_dtype(kind, dtypes.BOOL) if row.result == "bool" else kind, name)
        self.add(tir.Apply(result, op, operands, self.span))
        return result

    def cast(self, operand: Value, dtype: DType, name: str = "") -> Value:
        """`operand` itself if it has that dtype already and the cast is not forced."""
        source = dtype_of(operand)
        is_of_floats = source.is_float and dtype.is_float
        is_forced = is_of_floats and len(self.casts) in self.forced
        self.casts.append(is_of_floats and source is not dtype)
        if source is dtype and not is_forced:
            return operand
        result = self.fresh(with_dtype(operand.type, dtype), name)
        self.add(tir.Cast(result, operand, self.span))
        return result

    def broadcast(self, operand: Value, shape: tuple[int, ...], name: str = "") -> Value:
        """`operand` itself if it has that shape already."""
        if isinstance(operand.type, Tile) and operand.type.shape == shape:
            return operand
        result = self.fresh(Tile(dtype_of(operand), shape), name)
        self.add(tir.Broadcast(result, operand, self.span))
        return result

    def reduce(self, op: str, operand: Value, axis: int | None = None, name: str = "") -> Value:
        """The fold of a tile, whose dtype is made the accumulator's first."""
        if not isinstance(operand.type, Tile):
            raise InternalError("only a tile is folded", operand)
        dtype = accumulator(REDUCTIONS[op], dtype_of(operand))
        operand = self.cast(operand, dtype)
        shape = operand.type.shape if isinstance(operand.type, Tile) else ()
        kept = tuple(1 if place == axis else size for place, size in enumerate(shape))
        result = self.fresh(Scalar(dtype) if axis is None else Tile(dtype, kept), name)
        self.add(tir.Reduce(result, op, operand, axis, self.span))
        return result

    def scan(self, op: str, operand: Value, name: str = "") -> Value:
        """The scan of a tile, whose dtype is made the accumulator's first."""
        operand = self.cast(operand, accumulator(SCANS[op], dtype_of(operand)))
        result = self.fresh(operand.type, name)
        self.add(tir.Scan(result, op, operand, self.span))
        return result

    def call(self, function: str, result: DType, operands: Sequence[Value], name: str = "") -> Value:
        kind: Type = next((v.type for v in operands if isinstance(v.type, Tile)), Scalar(result))
        value = self.fresh(with_dtype(kind, result), name)
        self.add(tir.Call(value, function, tuple(operands), span=self.span))
        return value

    # ------------------------------------------------------------ memory and threads

    def alloc(self, dtype: DType, count: int | Value, space: Space, columns: int = 0, name: str = "") -> Value:
        """`columns`: of an array with rows, how long each is."""
        result = self.fresh(Pointer(dtype, False, space, columns), name)
        self.add(tir.Alloc(result, space, count, self.span))
        return result

    def offset(self, pointer: Value, index: Value, name: str = "") -> Value:
        kind = replace(pointer.type, columns=0) if isinstance(pointer.type, Pointer) else pointer.type
        result = self.fresh(kind, name)
        self.add(tir.Offset(result, pointer, index, self.span))
        return result

    def load(
        self,
        pointer: Value,
        offsets: Value | None = None,
        mask: Value | None = None,
        other: Value | None = None,
        name: str = "",
    ) -> Value:
        kind: Type = Scalar(dtype_of(pointer))
        if offsets is not None and isinstance(offsets.type, Tile):
            kind = Tile(dtype_of(pointer), offsets.type.shape)
        result = self.fresh(kind, name)
        self.add(tir.Load(result, pointer, offsets, mask, other, self.span))
        return result

    def load_several(self, pointer: Value, width: int) -> list[Value]:
        """`width` neighbours, by one load."""
        held = self.fresh(Vec(dtype_of(pointer), width))
        self.add(tir.Load(held, pointer, span=self.span))
        parts = [self.fresh(Scalar(dtype_of(pointer))) for _ in range(width)]
        for place, part in enumerate(parts):
            self.add(tir.Part(part, held, place, self.span))
        return parts

    def store_several(self, pointer: Value, values: Sequence[Value]) -> None:
        """Neighbours, by one store."""
        held = self.fresh(Vec(dtype_of(pointer), len(values)))
        self.add(tir.Pack(held, tuple(values), self.span))
        self.add(tir.Store(pointer, None, held, span=self.span))

    def store(self, pointer: Value, offsets: Value | None, value: Value, mask: Value | None = None) -> None:
        self.add(tir.Store(pointer, offsets, value, mask, self.span))

    def atomic(
        self, op: str, pointer: Value, offsets: Value | None, operands: Sequence[Value], mask: Value | None = None
    ) -> Value:
        """`operands` are the row's: the value, before it what it is compared with."""
        *compared, value = operands
        result = self.fresh(value.type)
        compare = compared[0] if compared else None
        self.add(tir.Atomic(result, op, pointer, offsets, value, compare, mask, self.span))
        return result

    def shuffle(self, kind: str, operand: Value, lane: Value, name: str = "") -> Value:
        result = self.fresh(operand.type, name)
        self.add(tir.Shuffle(result, kind, operand, lane, self.span))  # type: ignore[arg-type]
        return result

    def barrier(self, scope: str) -> None:
        self.add(tir.Barrier(scope, self.span))  # type: ignore[arg-type]

    def note(self, text: str) -> None:
        self.add(tir.Note(text, self.span))
