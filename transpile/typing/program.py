"""What the checker of one function may ask of the module around it: signatures, and which instances are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from transpile.ir import hir


@dataclass
class Program:
    """`instances`: by kernel key, the values of its static parameters, as given and as met in launchers."""

    module: hir.Module
    functions: Mapping[str, hir.Function]
    instances: dict[str, set[tuple[int, ...]]] = field(default_factory=dict)

    @staticmethod
    def of(module: hir.Module, instances: Mapping[str, Sequence[tuple[int, ...]]]) -> Program:
        functions = {function.key: function for function in module.functions}
        return Program(module, functions, {key: set(values) for key, values in instances.items()})

    def want(self, key: str, values: tuple[int, ...]) -> None:
        self.instances.setdefault(key, set()).add(values)


def instance_key(key: str, values: Sequence[int]) -> str:
    """`softmax__1024`; a negative value is spelled with an `m`."""
    return "__".join([key, "_".join(f"m{-value}" if value < 0 else str(value) for value in values)]) if values else key


def static_parameters(function: hir.Function) -> tuple[hir.Parameter, ...]:
    return tuple(p for p in function.parameters if isinstance(p.annotation, hir.StaticAnnotation))
