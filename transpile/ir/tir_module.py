"""What TIR's functions and modules are; see `tir`, which has these names too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from transpile.source import NOWHERE, Span
from transpile.typing.types import Pointer, Type

if TYPE_CHECKING:
    from transpile.dtypes import DType
    from transpile.ir.tir import Block, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """`value` is the parameter on entry. A static parameter has `static` set and is a constant of this instance; it
    stays in the list so that positions agree with the user's. `variable` is which of the function's types it has, where
    a type variable says so."""

    value: Value
    static: int | None = None
    variable: int | None = None
    span: Span = field(compare=False, default=NOWHERE)

    @property
    def name(self) -> str:
        return self.value.name

    @property
    def is_pointer(self) -> bool:
        return isinstance(self.value.type, Pointer)


FunctionKind: TypeAlias = Literal["tile", "thread", "device", "launcher"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """`key` is unique in the module; an instance of a generic kernel with static parameters is `name__f16_1024`. `base`
    is the key of the user's function, so that instances of one kernel can be told. `types` are what its type variables,
    called `variables`, are, and `narrowest` the narrowest that other instances have. `needs_group_rows`: the kernel
    relies on conditions that are uniform in a group only where the block's x is a multiple of 32 or y and z are 1."""

    key: str
    name: str
    base: str
    kind: FunctionKind
    parameters: tuple[Parameter, ...]
    result: Type | None
    body: Block
    alias: bool = False
    fast_math: bool = False
    types: tuple[DType, ...] = ()
    variables: tuple[str, ...] = ()
    narrowest: tuple[DType, ...] = ()
    uses_shuffles: bool = False
    needs_group_rows: bool = False
    captured: tuple[tuple[str, bool | int | float], ...] = ()
    span: Span = field(compare=False, default=NOWHERE)

    @property
    def is_kernel(self) -> bool:
        return self.kind in ("tile", "thread")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """Device functions, kernels and launchers, callees before callers."""

    stem: str
    functions: tuple[Function, ...]

    def function(self, key: str) -> Function:
        return next(function for function in self.functions if function.key == key)
