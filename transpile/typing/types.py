"""The types of values. Weakness (language.md, Types) is not a type: the checker carries it beside one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from transpile.dtypes import DType

if TYPE_CHECKING:
    from transpile.lowering.layout import Layout

Space: TypeAlias = Literal["global", "shared", "local"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """One number. In a tile kernel it is one per program, in a thread kernel one per thread."""

    dtype: DType

    def __str__(self) -> str:
        return self.dtype.name


@dataclass(frozen=True, slots=True)
class Tile:
    """A block of lanes of static shape, each size a power of two. `layout` is set from LIR on."""

    dtype: DType
    shape: tuple[int, ...]
    layout: Layout | None = None

    @property
    def lanes(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count

    def __str__(self) -> str:
        sizes = ", ".join(str(size) for size in self.shape)
        tail = f", {self.layout}" if self.layout is not None else ""
        return f"tile[{self.dtype.name}, {sizes}{tail}]"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of elements. `const` pointers are never stored through. Of an array with rows, one behind another,
    `columns` is how long each is; otherwise 0."""

    dtype: DType
    const: bool = False
    space: Space = "global"
    columns: int = 0

    def __str__(self) -> str:
        word = "const_ptr" if self.const else "ptr"
        tail = "" if self.space == "global" else f", {self.space}"
        tail += f", rows of {self.columns}" if self.columns else ""
        return f"{word}[{self.dtype.name}{tail}]"


@dataclass(frozen=True, slots=True)
class Size:
    """A whole number by name: a template parameter of a kernel in KIR, and its value in each instance, in order."""

    name: str
    values: tuple[int, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeParameter(DType):
    """A float type by name: a template parameter of a kernel in KIR, and what it is in each instance, in order. Only
    what a row says of every one of them holds of it."""

    values: tuple[DType, ...]

    @property
    def may_be_narrow(self) -> bool:
        """Whether some instance has a float there that no machine computes in."""
        return any(value.is_narrow_float for value in self.values)


def types_of(dtype: DType) -> tuple[DType, ...]:
    """What `dtype` is in the instances of a template: itself, unless it is a parameter of it."""
    return dtype.values if isinstance(dtype, TypeParameter) else (dtype,)


Count: TypeAlias = int | Size


def largest(count: Count) -> int:
    """The most that `count` is in any instance."""
    return max(count.values) if isinstance(count, Size) else count


@dataclass(frozen=True, slots=True)
class Vec:
    """The `count` lanes of a tile that one thread holds (from the lowering of tiles on), or neighbouring elements that
    a thread kernel loads or stores as one."""

    dtype: DType
    count: Count

    def __str__(self) -> str:
        return f"vec[{self.dtype.name}, {self.count}]"


Type: TypeAlias = Scalar | Tile | Pointer | Vec
