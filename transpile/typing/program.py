"""What the checker of one function may ask of the module around it: signatures, and which instances are wanted.

An instance is told by an element type for each type variable, then a number for each static parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from transpile.dtypes import DType
from transpile.ir import hir

Instance: TypeAlias = "tuple[DType | int, ...]"


@dataclass
class Program:
    """`instances`: by kernel key, as given and as met in launchers; without types where all of its types are meant."""

    module: hir.Module
    functions: Mapping[str, hir.Function]
    instances: dict[str, set[Instance]] = field(default_factory=dict)

    @staticmethod
    def of(module: hir.Module, instances: Mapping[str, Sequence[Instance]]) -> Program:
        functions = {function.key: function for function in module.functions}
        return Program(module, functions, {key: set(values) for key, values in instances.items()})

    def want(self, key: str, values: Instance) -> None:
        self.instances.setdefault(key, set()).add(values)


def instance_key(key: str, values: Sequence[DType | int]) -> str:
    """`softmax__f16_1024`; a negative value is spelled with an `m`."""
    return "__".join([key, "_".join(map(_spelled, values))]) if values else key


def _spelled(value: DType | int) -> str:
    return f"m{-value}" if isinstance(value, int) and value < 0 else str(value)


def static_parameters(function: hir.Function) -> tuple[hir.Parameter, ...]:
    return tuple(p for p in function.parameters if isinstance(p.annotation, hir.StaticAnnotation))
