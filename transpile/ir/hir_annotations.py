"""HIR's annotations: what the user wrote for the type of a parameter, a result or a local."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from transpile.dtypes import DType


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeVariable(DType):
    """`T = native.TypeVar("T", …)`, where an element type stands: each instance has one of `choices` in its place. No
    level after this one has it; what a row says of itself means nothing here."""

    choices: tuple[DType, ...]


@dataclass(frozen=True, slots=True)
class ScalarAnnotation:
    """`int`, `float`, `bool`, `native.f32` …. `python` is true for the three Python spellings (a `float` is weak)."""

    dtype: DType
    python: bool


@dataclass(frozen=True, slots=True)
class PointerAnnotation:
    """`native.ptr[T]` or, const, `native.const_ptr[T]`."""

    dtype: DType
    const: bool


@dataclass(frozen=True, slots=True)
class StaticAnnotation:
    """`native.static[int]`: known at the launch, usable as a size."""


Annotation: TypeAlias = ScalarAnnotation | PointerAnnotation | StaticAnnotation
