"""Fresh values, and ops that read or define other values in the place of theirs. Blocks inside an op are left to
the caller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops, results_of
from transpile.source import NOWHERE, Span
from transpile.typing.types import Type

_READ: Final = (
    "cond",
    "start",
    "stop",
    "step",
    "pointer",
    "index",
    "first",
    "offsets",
    "value",
    "compare",
    "mask",
    "other",
    "operand",
    "lane",
    "stage",
)
_READ_MANY: Final = ("operands", "inits", "grid", "block", "arguments", "place")
_DEFINED: Final = ("result", "counter")
_DEFINED_MANY: Final = ("results", "carried")

AnyOp = TypeVar("AnyOp", bound=lir.Op)


@dataclass
class Ids:
    """Gives out values that a function does not have yet."""

    last: int

    @classmethod
    def after(cls, function: tir.Function) -> Ids:
        """Ids above all that `function` uses."""
        last = max((parameter.value.id for parameter in function.parameters), default=0)
        for op in cast("Iterator[lir.Op]", all_ops(function.body)):
            defined = list(results_of(op))
            match op:
                case tir.For():
                    defined += [op.index, *op.carried]
                case tir.While():
                    defined += op.carried
                case lir.LaneLoop():
                    defined.append(op.counter)
                case _:
                    pass
            last = max([last, *(value.id for value in defined)])
        return cls(last)

    def fresh(self, kind: Type, name: str = "", span: Span = NOWHERE) -> Value:
        self.last += 1
        return Value(self.last, kind, name, span)


def renamed(op: AnyOp, now: Mapping[int, Value], results: bool = False) -> AnyOp:
    """`op` reading what stands for its operands now; with `results`, defining what stands for its results instead.
    A loop's index is read by nothing and stays."""
    one, many = (_DEFINED, _DEFINED_MANY) if results else (_READ, _READ_MANY)
    changes: dict[str, object] = {}
    for name in one:
        old = getattr(op, name, None)
        if isinstance(old, Value) and old.id in now and not (name == "index" and isinstance(op, tir.For)):
            changes[name] = now[old.id]
    for name in many:
        several = getattr(op, name, None)
        if isinstance(several, tuple) and any(value.id in now for value in several):
            changes[name] = tuple(now.get(value.id, value) for value in several)
    return replace(op, **changes) if changes else op  # type: ignore[arg-type]


def renamed_end(end: tir.Terminator, now: Mapping[int, Value]) -> tir.Terminator:
    """`end` reading what stands for its values now."""
    match end:
        case tir.Return():
            return end if end.value is None else replace(end, value=now.get(end.value.id, end.value))
        case tir.Condition():
            return replace(end, value=now.get(end.value.id, end.value))
        case tir.Yield() | tir.Break() | tir.Continue():
            return replace(end, values=tuple(now.get(value.id, value) for value in end.values))
