"""The dtype in which operands meet (language.md, Types). Pure: element types in, an element type or a mismatch out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transpile import dtypes
from transpile.dtypes import DType
from transpile.typing.operand import Bounds


@dataclass(frozen=True, slots=True)
class Term:
    """What joining looks at. `constant` and `bounds` matter for weak integers alone."""

    dtype: DType
    weak: bool = False
    constant: int | None = None
    bounds: Bounds | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """`weak`: made of weak terms alone. `assumed`: a weak integer whose value nobody knows was taken to fit."""

    dtype: DType
    weak: bool
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Unfit:
    """The constant at `index` does not fit the integer type that it meets."""

    index: int
    dtype: DType


@dataclass(frozen=True, slots=True)
class NoJoin:
    """Two integer types that have no common one."""

    left: DType
    right: DType


def join(terms: Sequence[Term], strict: bool = False) -> Joined | Unfit | NoJoin:
    """The common dtype; bools take the others'. `strict`: a weak integer of unknown value counts as i64."""
    numbers = [term for term in terms if term.dtype is not dtypes.BOOL]
    if not numbers:
        return Joined(dtypes.BOOL, weak=False)
    firm = [term for term in numbers if not term.weak]
    floats = [term.dtype for term in firm if term.dtype.is_float]
    if floats:
        return Joined(max((dtype.computing for dtype in floats), key=lambda dtype: dtype.bits), weak=False)
    if any(term.dtype.is_float for term in numbers):
        return Joined(dtypes.F64, weak=not firm)
    if not firm:
        return Joined(dtypes.I64, weak=True)
    common = join_integers([term.dtype for term in firm])
    if isinstance(common, NoJoin):
        return common
    return _with_weak_integers(terms, common, strict)


def _with_weak_integers(terms: Sequence[Term], common: DType, strict: bool) -> Joined | Unfit | NoJoin:
    """Weak integers take `common` where they fit; a constant must, another one counts as i64."""
    assumed = False
    for index, term in enumerate(terms):
        if not term.weak or common is dtypes.I64:
            continue
        if term.constant is not None:
            if not common.min <= term.constant <= common.max:
                return Unfit(index, common)
        elif term.bounds is not None and common.min <= term.bounds[0] <= term.bounds[1] <= common.max:
            continue
        elif term.bounds is not None or strict:
            wider = join_integers([common, dtypes.I64])
            if isinstance(wider, NoJoin):
                return wider
            common = wider
        else:
            assumed = True
    return Joined(common, weak=False, assumed=assumed)


def join_integers(kinds: Sequence[DType]) -> DType | NoJoin:
    """Two integers join to the wider; signed beside unsigned to a signed one that holds both."""
    common, *others = (dtype.computing for dtype in kinds)
    for dtype in others:
        if dtype is common:
            continue
        wide, narrow = (common, dtype) if common.bits >= dtype.bits else (dtype, common)
        if wide.kind == narrow.kind or (wide.kind == "int" and wide.bits > narrow.bits):
            common = wide
        elif max(wide.bits, narrow.bits) < dtypes.I64.bits:
            common = dtypes.I64
        else:
            return NoJoin(common, dtype)
    return common


def converts(source: DType, target: DType) -> bool:
    """Whether a strong argument or returned value converts by itself: bool → int → float, never narrower."""
    if source is target or source is dtypes.BOOL:
        return True
    if target is dtypes.BOOL:
        return False
    if target.is_float:
        return source.is_integer or (source.mantissa <= target.mantissa and source.exponent <= target.exponent)
    return source.is_integer and target.min <= source.min and source.max <= target.max


def stores(source: DType, target: DType) -> bool:
    """Whether a store converts by itself: integers wrap and floats round, but a float is never made an integer."""
    if source is target or source is dtypes.BOOL:
        return True
    return target is not dtypes.BOOL and (target.is_float or source.is_integer)
