"""What the checker knows of an expression: its type, whether it is weak, and, where it is one, its constant value.

Weakness (language.md, Types) lives here, beside the type, and nowhere after the checker. A constant has no TIR value
until something needs one: what it meets decides the dtype in which it is written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from transpile import dtypes
from transpile.dtypes import DType, Number
from transpile.ir.tir import Value
from transpile.source import Span
from transpile.typing.types import Pointer, Scalar, Tile, Type

Bounds: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """The value of one expression.

    `value` is its TIR value, absent for a constant that nothing has needed yet. `bounds` encloses a weak integer that
    is no constant (`mask * 3` is 0 or 3). `root` is the parameter or allocation that a pointer points into. `origin` is
    where the variable that was read got this value.
    """

    type: Type
    span: Span
    value: Value | None = None
    constant: Number | None = None
    weak: bool = False
    bounds: Bounds | None = None
    root: Value | None = None
    origin: Span | None = None

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of a tile; None for a scalar or a pointer."""
        return self.type.shape if isinstance(self.type, Tile) else None

    @property
    def is_tile(self) -> bool:
        return isinstance(self.type, Tile)

    @property
    def is_scalar(self) -> bool:
        return isinstance(self.type, Scalar)

    @property
    def is_pointer(self) -> bool:
        return isinstance(self.type, Pointer)

    @property
    def is_bool(self) -> bool:
        return self.dtype is dtypes.BOOL

    @property
    def known_bounds(self) -> Bounds | None:
        """Where an integer or bool surely lies, as far as the checker follows it."""
        if isinstance(self.constant, int):
            return (int(self.constant), int(self.constant))
        return (0, 1) if self.is_bool else self.bounds

    @property
    def place(self) -> Span:
        """Where a reader looks for this operand: the assignment of a variable, or the expression itself."""
        return self.origin if self.origin is not None else self.span

    def at(self, span: Span) -> Operand:
        """The same operand as read at `span`. Spelled out: this runs for every name that is read."""
        return Operand(
            type=self.type,
            span=span,
            value=self.value,
            constant=self.constant,
            weak=self.weak,
            bounds=self.bounds,
            root=self.root,
            origin=self.origin,
        )


def constant(value: Number, span: Span) -> Operand:
    """A literal or a captured value: weak, but a bool, which beside a weak value counts as weak anyway."""
    dtype = dtypes.BOOL if isinstance(value, bool) else dtypes.I64 if isinstance(value, int) else dtypes.F64
    return Operand(type=Scalar(dtype), span=span, constant=value, weak=dtype is not dtypes.BOOL)


def strong(value: Value, span: Span) -> Operand:
    return Operand(type=value.type, span=span, value=value)


def is_weak_result(operands: tuple[Operand, ...]) -> bool:
    """Whether what is computed from `operands` alone is weak: bools count with the weak, but do not make it so."""
    return any(o.weak for o in operands) and all(o.weak or o.is_bool for o in operands)


def with_dtype(kind: Type, dtype: DType) -> Type:
    """A scalar or tile type with another element type."""
    return Tile(dtype, kind.shape) if isinstance(kind, Tile) else Scalar(dtype)
