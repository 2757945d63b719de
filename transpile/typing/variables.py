"""Local variables: one type for each name in a whole function (language.md, Types), joined over all its assignments.

A function is checked again while a type still grows; names start from what the pass before found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from transpile import dtypes
from transpile.dtypes import DType
from transpile.source import Span
from transpile.typing.join import Joined, NoJoin, Term, Unfit, converts, join
from transpile.typing.operand import Bounds, Operand, with_dtype
from transpile.typing.types import Pointer, Tile, Type


@dataclass(frozen=True, slots=True)
class Unbound:
    """A name that some path to here leaves without a value. `place`: the statement that may pass it by."""

    place: Span
    late_in: int | None = None  # the loop (by id of its node) that binds it on every way out


Environment: TypeAlias = "dict[str, Operand | Unbound | None]"  # None: poison


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """`place` is the first assignment; `exact`: annotated, so the type is the user's choice."""

    type: Type
    weak: bool
    bounds: Bounds | None
    place: Span
    exact: bool = False


ClashKind = Literal["kind", "shape", "pointer", "integers", "annotation"]


@dataclass(frozen=True, slots=True)
class Clash:
    """An assignment that cannot have the variable's type."""

    kind: ClashKind
    variable: Variable


@dataclass
class Variables:
    """`changed`: a type grew after it was first used, so another pass is needed."""

    types: dict[str, Variable] = field(default_factory=dict)
    late: dict[int, set[str]] = field(default_factory=dict)
    changed: bool = False

    def declare(self, name: str, kind: Type, place: Span, *, weak: bool) -> None:
        """A parameter. A type that has grown since stays."""
        known = self.types.get(name)
        if known is None:
            self.types[name] = Variable(type=kind, weak=weak, bounds=None, place=place)

    def fix(self, name: str, kind: Type, place: Span) -> None:
        """An annotated local: exactly `kind` from its first assignment on."""
        known = self.types.get(name)
        if known is not None and (known.type != kind or known.weak):
            self.changed = True
        self.types[name] = Variable(
            type=kind, weak=False, bounds=None, place=known.place if known else place, exact=True
        )

    def assign(self, name: str, operand: Operand, place: Span, strict: bool) -> Variable | Clash:
        """Joins `operand` into the variable's type."""
        known = self.types.get(name)
        if known is None:
            variable = Variable(type=operand.type, weak=operand.weak, bounds=operand.known_bounds, place=place)
            self.types[name] = variable
            return variable
        joined = _join(known, operand, strict)
        if isinstance(joined, Clash):
            return joined
        if (joined.type, joined.weak) != (known.type, known.weak):
            self.changed = True
        self.types[name] = joined
        return joined

    def can_be_late(self, name: str) -> bool:
        """Whether a value can stand for a name that a loop is sure to bind later: not for a pointer."""
        known = self.types.get(name)
        return known is not None and not isinstance(known.type, Pointer)

    def bind_late(self, loop: int, name: str) -> None:
        """The next pass carries `name` out of `loop`, which binds it on every way out."""
        names = self.late.setdefault(loop, set())
        if name not in names:
            names.add(name)
            self.changed = True

    def settle(self) -> None:
        """Makes the integers that are still weak, and no constants, strong: see `join.Joined.assumed`."""
        for name, variable in self.types.items():
            if variable.weak and variable.type.dtype.is_integer and variable.bounds is None:
                self.types[name] = replace(variable, weak=False)


def hull(left: Bounds | None, right: Bounds | None) -> Bounds | None:
    if left is None or right is None:
        return None
    return (min(left[0], right[0]), max(left[1], right[1]))


def _join(known: Variable, operand: Operand, strict: bool) -> Variable | Clash:
    if isinstance(known.type, Pointer) or operand.is_pointer:
        return _join_pointers(known, operand)
    if isinstance(known.type, Tile) != operand.is_tile:
        return Clash("kind", known)
    if isinstance(known.type, Tile) and known.type.shape != operand.shape:
        return Clash("shape", known)
    if known.exact:
        return known if _fits_annotation(known.type.dtype, operand) else Clash("annotation", known)
    bounds = hull(known.bounds, operand.known_bounds)
    dtype = _join_dtypes(known, operand, strict)
    if isinstance(dtype, NoJoin):
        return Clash("integers", known)
    kind = with_dtype(known.type, dtype.dtype)
    return replace(known, type=kind, weak=dtype.weak, bounds=bounds)


def _join_dtypes(known: Variable, operand: Operand, strict: bool) -> Joined | NoJoin:
    """As of operands, but nothing is rounded or refused for want of room: an integer that does not fit widens."""
    if known.type.dtype is operand.dtype:
        both_bool = operand.is_bool
        return Joined(operand.dtype, weak=known.weak and operand.weak and not both_bool)
    left = Term(known.type.dtype, known.weak, None, known.bounds)
    constant = operand.constant if operand.weak and isinstance(operand.constant, int) else None
    right = Term(operand.dtype, operand.weak, constant, operand.bounds)
    joined = join([left, right], strict)
    return Joined(dtypes.I64, weak=False) if isinstance(joined, Unfit) else joined


def _fits_annotation(dtype: DType, operand: Operand) -> bool:
    if operand.weak and operand.dtype.is_float:
        return dtype.is_float
    if operand.weak and operand.dtype.is_integer and operand.constant is not None:
        return dtype is not dtypes.BOOL
    return converts(operand.dtype, dtype)


def _join_pointers(known: Variable, operand: Operand) -> Variable | Clash:
    left, right = known.type, operand.type
    if not isinstance(left, Pointer) or not isinstance(right, Pointer):
        return Clash("kind", known)
    if left.dtype is not right.dtype or left.space != right.space:
        return Clash("pointer", known)
    if known.exact:
        return Clash("annotation", known) if right.const and not left.const else known
    return replace(known, type=replace(left, const=left.const or right.const))
