"""Instances of one kernel become one template: the same tree but for whole numbers, which get names.

A number that is a static parameter's value in every instance has its name; one that is worked out from such a value by
a constant is written so; any other is a parameter of the template, named by its role. Instances of another form stay
apart.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, TypeAlias

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.dtypes import DType
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, declared_by
from transpile.typing.types import Scalar, Size, Vec, largest

_ROLES: Final[Mapping[tuple[type, str], str]] = {
    (Vec, "count"): "lanes",
    (kir.LaneLoop, "count"): "lanes",
    (kir.LaneLoop, "owners"): "owners",
    (kir.Fold, "lanes"): "size",
    (kir.Fold, "threads"): "threads",
    (kir.Fold, "replicas"): "replicas",
    (kir.Groups, "lanes"): "lanes",
    (kir.Groups, "group"): "group",
    (kir.Groups, "threads"): "threads",
    (kir.Shared, "lanes"): "size",
    (kir.DeclareArray, "count"): "count",
    (kir.DeclareSlots, "count"): "count",
}
_I64: Final = Scalar(dtypes.I64)
Shape: TypeAlias = Any


class _DifferentError(Exception):
    """These cannot be one."""


def merge_instances(
    functions: Sequence[kir.Function], names: Mapping[str, str], shared_limit: int
) -> tuple[kir.Function, ...]:
    """`functions` with templates where instances have one form; `names` are those of templates, by base. Shared arrays
    of more than `shared_limit` bytes are laid out for each instance, so these stay apart where the sizes differ."""
    groups: dict[tuple[str, Shape], list[kir.Function]] = {}
    for function in functions:
        if any(parameter.static is not None for parameter in function.parameters):
            groups.setdefault((function.base, _shape(function.body)), []).append(function)
    changed: dict[str, kir.Function] = {}
    named: set[str] = set()
    for (base, _), instances in groups.items():
        if len(instances) > 1 and base not in named:
            merged = _merge(instances, names[base], shared_limit)
            named.update([base] if merged else [])
            changed.update((instance.key, instance) for instance in merged)
    return tuple(changed.get(function.key, function) for function in functions)


def _shape(node: object) -> Shape:
    """A key that is the same for trees that differ only in numbers, and in whether these make an operation exact."""
    if isinstance(node, kir.Lit):
        return ("Lit", node.dtype.name) if node.dtype is not dtypes.BOOL else ("Lit", node.value)
    if isinstance(node, DType | bool | str) or node is None:
        return str(node)
    if isinstance(node, int):
        return "#"
    if isinstance(node, tuple):
        return tuple(_shape(part) for part in node)
    return (type(node).__name__, *(_shape(getattr(node, name)) for name in _compared(node) if name not in _LOOSE))


_LOOSE: Final = frozenset({"exact", "counted"})


def _compared(node: object) -> list[str]:
    if not is_dataclass(node):
        raise InternalError("a tree of KIR holds dataclasses", node)
    return [part.name for part in fields(node) if part.compare]


def _merge(instances: Sequence[kir.Function], name: str, shared_limit: int) -> list[kir.Function]:
    """The instances with their template, or nothing if they cannot have one."""
    merger = _Merger(_taken(instances[0]), len(instances))
    for parameters in zip(*(instance.parameters for instance in instances), strict=True):
        if parameters[0].static is not None:
            merger.know(parameters[0].var.name, tuple(parameter.static or 0 for parameter in parameters))
    try:
        body = merger.parts([instance.body for instance in instances])
        threads = merger.parts([instance.threads for instance in instances], "threads")
    except _DifferentError:
        return []
    if _shared_bytes(body) > shared_limit:
        return []
    sizes = tuple(merger.used)
    summaries = [instance.summary for instance in instances]
    names = [f"{name}<{', '.join(_spelled(size.values[place]) for size in sizes)}>" for place in range(len(instances))]
    summary = summaries[0] if len(set(summaries)) == 1 else " ".join(map("{}: {}".format, names, summaries))
    template = replace(instances[0], name=name, body=body, threads=threads, summary=summary, sizes=sizes, template=None)
    if not sizes:
        names = [name] * len(instances)
    return [replace(instance, name=own, template=template) for instance, own in zip(instances, names, strict=True)]


def _spelled(number: int) -> str:
    """As an argument of a template in C++, which has no literal for the smallest integer."""
    return f"{number + 1} - 1" if number == dtypes.I64.min else str(number)


def _taken(function: kir.Function) -> set[str]:
    declared = {var.name for stmt in all_stmts(function.body) for var in declared_by(stmt)}
    return declared | {parameter.var.name for parameter in function.parameters}


def _shared_bytes(body: Iterable[kir.Stmt]) -> int:
    """Of the arrays whose size differs between instances, the most that they take; 0 if there is none."""
    arrays = [stmt for stmt in all_stmts(tuple(body)) if isinstance(stmt, kir.DeclareArray) and stmt.space == "shared"]
    if not any(isinstance(array.count, Size) for array in arrays):
        return 0
    counts = (array.count.values if isinstance(array.count, Size) else (array.count,) for array in arrays)
    return sum(max(count) * array.var.type.dtype.bytes for count, array in zip(counts, arrays, strict=True))


@dataclass
class _Merger:
    """Makes one tree of several. `known` are the numbers that have a name, `used` those that the tree mentions."""

    taken: set[str]
    instances: int
    known: dict[tuple[int, ...], Size] = field(default_factory=dict)
    used: dict[Size, None] = field(default_factory=dict)
    _statics: list[Size] = field(default_factory=list)

    def know(self, name: str, values: tuple[int, ...]) -> None:
        """A static parameter."""
        size = Size(name, values)
        self._statics.append(size)
        self.known.setdefault(values, size)

    def parts(self, nodes: Sequence[Any], role: str = "value") -> Any:
        """What `nodes`, one of each instance, are in the template."""
        first = nodes[0]
        if isinstance(first, kir.Lit):
            return self._literal(nodes)
        if isinstance(first, tuple):
            return tuple(self.parts(each, role) for each in zip(*nodes, strict=True))
        if isinstance(first, bool | str | DType) or first is None:
            if any(node != first for node in nodes):
                raise _DifferentError
            return first
        if isinstance(first, int):
            return first if len(set(nodes)) == 1 else self._size(tuple(nodes), role)
        if isinstance(first, kir.Fold) and len({_order(node) for node in nodes}) > 1:
            raise _DifferentError
        changes: dict[str, Any] = {}
        for name in _compared(first):
            values = [getattr(node, name) for node in nodes]
            if name in _LOOSE:
                changes[name] = all(values) if name == "exact" else any(values)
            else:
                changes[name] = self.parts(values, _ROLES.get((type(first), name), "value"))
        return replace(first, **changes)

    def _size(self, values: tuple[int, ...], role: str) -> Size:
        size = self.known.get(values)
        if size is None:
            name, count = role, 1
            while name in self.taken:
                count += 1
                name = f"{role}_{count}"
            self.taken.add(name)
            size = self.known[values] = Size(name, values)
        self.used.setdefault(size)
        return size

    def _literal(self, nodes: Sequence[kir.Lit]) -> kir.Expr:
        dtype = nodes[0].dtype
        values = [node.value for node in nodes]
        if len({_bits(value) for value in values}) == 1:
            return nodes[0]
        whole = tuple(int(value) for value in values if _is_whole(value))
        if dtype is dtypes.BOOL or len(whole) != len(values):
            raise _DifferentError
        number = self._derived(whole)
        if dtype is dtypes.I64:
            return number
        if dtype.is_float and not isinstance(number, kir.Var):
            raise _DifferentError
        return kir.Cast(number, dtype, exact=True)

    def _derived(self, values: tuple[int, ...]) -> kir.Expr:
        """A number as a name, or as one worked out from a static parameter's."""
        if values not in self.known:
            for size in self._statics:
                found = _from(size, values)
                if found is not None:
                    self.used.setdefault(size)
                    op, constant = found
                    operands = (kir.Var(size.name, _I64), kir.Lit(constant, dtypes.I64))
                    return kir.Apply(op, operands, dtypes.I64, exact=True)
        return kir.Var(self._size(values, "value").name, _I64)


def _from(size: Size, values: tuple[int, ...]) -> tuple[str, int] | None:
    """The operation and constant that make `values` of the numbers of `size`."""
    pairs = list(zip(size.values, values, strict=True))
    given, wanted = pairs[0]
    if all(value - number == wanted - given for number, value in pairs):
        difference = wanted - given
        return ("add", difference) if difference >= 0 else ("sub", -difference)
    if given > 0 and wanted % given == 0 and all(value == number * (wanted // given) for number, value in pairs):
        return "mul", wanted // given
    if wanted > 0 and given % wanted == 0 and all(number == value * (given // wanted) for number, value in pairs):
        return "floordiv", given // wanted
    return None


def _order(fold: kir.Fold) -> int:
    """Are there fewer lanes than threads, as many, or more? The text differs."""
    lanes, threads = largest(fold.lanes), largest(fold.threads)
    return (lanes > threads) - (lanes < threads)


def _is_whole(value: bool | int | float) -> bool:
    return not isinstance(value, float) or (value.is_integer() and abs(value) < 2**53 and _bits(value) != _bits(-0.0))


def _bits(value: bool | int | float) -> object:
    return struct.pack("<d", value) if isinstance(value, float) else value
