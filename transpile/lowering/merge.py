"""Instances of one kernel become one template: the same tree but for whole numbers and float types, which get names.

A number that is a static parameter's value in every instance has its name; one that is worked out from such a value by
a constant is written so; any other is a parameter of the template, named by its role. A type that is a type variable's
in every instance has its name, and where one instance converts and another has the type already, both convert.
Instances of another form stay apart.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, TypeAlias

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.dtypes import F32, DType
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, declared_by, dtype_of, shared_arrays
from transpile.lowering.names import Names
from transpile.typing.types import Scalar, Size, TypeParameter, Vec, largest

_ROLES: Final[Mapping[tuple[type, str], str]] = {
    (Vec, "count"): "lanes",
    (kir.LaneLoop, "count"): "lanes",
    (kir.LaneLoop, "owners"): "owners",
    (kir.Fold, "lanes"): "size",
    (kir.Fold, "threads"): "threads",
    (kir.Fold, "replicas"): "replicas",
    (kir.Fold, "group"): "group",
    (kir.Groups, "lanes"): "lanes",
    (kir.Groups, "group"): "group",
    (kir.Groups, "threads"): "threads",
    (kir.Shared, "lanes"): "size",
    (kir.Scan, "lanes"): "size",
    (kir.Scan, "threads"): "threads",
    (kir.DeclareArray, "count"): "count",
    (kir.DeclareSlots, "count"): "count",
}
_I64: Final = Scalar(dtypes.I64)
Shape: TypeAlias = Any


class _DifferentError(Exception):
    """These cannot be one."""


def merge_instances(
    functions: Sequence[kir.Function], name_for: Callable[[str], str], shared_limit: int
) -> tuple[kir.Function, ...]:
    """`functions` with templates where instances have one form; `name_for` gives a new template of a base its name.
    Shared arrays of more than `shared_limit` bytes are laid out for each instance, so these stay apart where the sizes
    differ; so do those beside an array that the launch sizes."""
    groups: dict[tuple[str, Shape], list[kir.Function]] = {}
    for function in functions:
        if function.types or any(parameter.static is not None for parameter in function.parameters):
            groups.setdefault((function.base, _shape(function.body)), []).append(function)
    changed: dict[str, kir.Function] = {}
    for instances in groups.values():
        for part in (instances, *_by_types(instances)):
            if len(part) > 1 and part[0].key not in changed:
                merged = _merge(part, name_for, shared_limit)
                changed.update((instance.key, instance) for instance in merged)
    return tuple(changed.get(function.key, function) for function in functions)


def _by_types(instances: Sequence[kir.Function]) -> list[list[kir.Function]]:
    """Those of the same types together."""
    found: dict[tuple[DType, ...], list[kir.Function]] = {}
    for instance in instances:
        found.setdefault(instance.types, []).append(instance)
    return list(found.values()) if len(found) > 1 else []


def _shape(node: object) -> Shape:
    """A key that is the same for trees that differ only in numbers, in whether these make an operation exact, and in
    the types of floats and the names of variables."""
    if isinstance(node, kir.Lit):
        return ("Lit", _shape(node.dtype)) if node.dtype is not dtypes.BOOL else ("Lit", node.value)
    if isinstance(node, DType):
        return "float" if node.is_float else node.name
    if isinstance(node, kir.Cast) and node.dtype.is_float and dtype_of(node.operand).is_float:
        return _shape(node.operand)
    if isinstance(node, kir.Var):
        return ("Var", _shape(node.type))
    if isinstance(node, bool | str) or node is None:
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


def _merge(instances: Sequence[kir.Function], name_for: Callable[[str], str], shared_limit: int) -> list[kir.Function]:
    """The instances with their template, or nothing if they cannot have one."""
    roles: dict[tuple[int, ...], str] = {}
    try:
        _merged(instances, roles)  # learns what numbers are, wherever that is seen: names are given next
        merger, body, variables, threads = _merged(instances, roles)
    except _DifferentError:
        return []
    if _shared_bytes(body) > (0 if _is_sized_at_launch(body) else shared_limit):
        return []
    if merger.types and _is_sized_at_launch(body):
        return []
    parameters = tuple(map(_with_variable, instances[0].parameters, variables))
    sizes, kinds = tuple(merger.used), tuple(merger.types.values())
    name = name_for(instances[0].base)
    summaries = [instance.summary for instance in instances]
    names = [f"{name}<{', '.join(_arguments(kinds, sizes, place))}>" for place in range(len(instances))]
    summary = summaries[0] if len(set(summaries)) == 1 else " ".join(_told_apart(names, summaries))
    template = replace(
        instances[0],
        name=name,
        parameters=parameters,
        body=body,
        threads=threads,
        summary=summary,
        sizes=sizes,
        kinds=kinds,
        template=None,
    )
    if not sizes and not kinds:
        names = [name] * len(instances)
    return [replace(instance, name=own, template=template) for instance, own in zip(instances, names, strict=True)]


def _merged(instances: Sequence[kir.Function], roles: dict[tuple[int, ...], str]) -> tuple[_Merger, Any, Any, Any]:
    """One body, parameters and threads of all. Raises _DifferentError."""
    merger = _Merger(Names(_taken(instances[0])), len(instances), roles)
    for place, variable in enumerate(instances[0].variables):
        merger.know_type(variable, tuple(instance.types[place] for instance in instances))
    for parameters in zip(*(instance.parameters for instance in instances), strict=True):
        if parameters[0].static is not None:
            merger.know(parameters[0].var.name, tuple(parameter.static or 0 for parameter in parameters))
    body = merger.parts([instance.body for instance in instances])
    variables = merger.parts([tuple(each.var for each in instance.parameters) for instance in instances])
    return merger, body, variables, merger.parts([instance.threads for instance in instances], "threads")


def _told_apart(names: Sequence[str], summaries: Sequence[str]) -> Iterator[str]:
    """What is said of the instances, those together of which the same is."""
    for summary in dict.fromkeys(summaries):
        yield f"{', '.join(name for name, said in zip(names, summaries, strict=True) if said == summary)}: {summary}"


def _with_variable(parameter: kir.Parameter, var: kir.Var) -> kir.Parameter:
    return replace(parameter, var=var)


def _arguments(kinds: Sequence[TypeParameter], sizes: Sequence[Size], place: int) -> Iterator[str]:
    """What one instance gives the template."""
    yield from (kind.values[place].cxx for kind in kinds)
    yield from (_spelled(size.values[place]) for size in sizes)


def _spelled(number: int) -> str:
    """As an argument of a template in C++, which has no literal for the smallest integer."""
    return f"{number + 1} - 1" if number == dtypes.I64.min else str(number)


def _taken(function: kir.Function) -> set[str]:
    declared = {var.name for stmt in all_stmts(function.body) for var in declared_by(stmt)}
    return declared | {parameter.var.name for parameter in function.parameters}


def _shared_bytes(body: Iterable[kir.Stmt]) -> int:
    """Of the arrays whose size differs between instances, the most that they take; 0 if there is none."""
    arrays = shared_arrays(tuple(body))
    if not any(isinstance(array.count, Size) for array in arrays):
        return 0
    counts = ((array, array.count) for array in arrays if not isinstance(array.count, kir.Var))
    return sum(largest(count) * array.var.type.dtype.bytes for array, count in counts)


def _is_sized_at_launch(body: Iterable[kir.Stmt]) -> bool:
    return any(isinstance(array.count, kir.Var) for array in shared_arrays(tuple(body)))


@dataclass
class _Merger:
    """Makes one tree of several. `roles` are what numbers are, `known` those that have a name, `used` those that the
    tree mentions, `types` the types that have one."""

    free: Names
    instances: int
    roles: dict[tuple[int, ...], str]
    types: dict[tuple[DType, ...], TypeParameter] = field(default_factory=dict)
    known: dict[tuple[int, ...], Size] = field(default_factory=dict)
    used: dict[Size, None] = field(default_factory=dict)
    names: list[dict[str, str]] = field(init=False)
    _statics: list[Size] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = [{} for _ in range(self.instances)]

    def know(self, name: str, values: tuple[int, ...]) -> None:
        """A static parameter."""
        size = Size(name, values)
        self._statics.append(size)
        self.known.setdefault(values, size)

    def know_type(self, name: str, values: tuple[DType, ...]) -> None:
        """A type variable."""
        if values not in self.types and len(set(values)) > 1 and all(value.is_float for value in values):
            self.types[values] = _type_parameter(self.free.variable(name), values)

    def parts(self, nodes: Sequence[Any], role: str = "value") -> Any:
        """What `nodes`, one of each instance, are in the template."""
        first = nodes[0]
        if any(isinstance(node, kir.Cast) for node in nodes):
            nodes = [node if isinstance(node, kir.Cast) else kir.Cast(node, dtype_of(node)) for node in nodes]
            first = nodes[0]
        if isinstance(first, kir.Lit):
            return self._literal(nodes)
        if isinstance(first, tuple):
            return tuple(self.parts(each, role) for each in zip(*nodes, strict=True))
        if isinstance(first, DType):
            return self._type(nodes)
        if isinstance(first, kir.Var):
            return kir.Var(self._name([node.name for node in nodes]), self.parts([node.type for node in nodes]))
        if isinstance(first, bool | str) or first is None:
            if any(node != first for node in nodes):
                raise _DifferentError
            return first
        if isinstance(first, int):
            return first if len(set(nodes)) == 1 else self._size(tuple(nodes), role)
        if isinstance(first, kir.Fold | kir.Scan) and len({_order(node) for node in nodes}) > 1:
            raise _DifferentError
        changes: dict[str, Any] = {}
        # Numbers first: what else has the value of one is called by its role.
        for name in sorted(_compared(first), key=lambda name: not isinstance(getattr(first, name), int)):
            values = [getattr(node, name) for node in nodes]
            if name in _LOOSE:
                changes[name] = all(values) if name == "exact" else any(values)
            else:
                changes[name] = self.parts(values, _ROLES.get((type(first), name), "value"))
        merged = replace(first, **changes)
        if not _is_spelled(merged):
            raise _DifferentError
        return merged

    def _name(self, names: Sequence[str]) -> str:
        """The first instance's name of a variable that each may call otherwise: after its type, say."""
        for others, name in zip(self.names, names, strict=True):
            if others.setdefault(name, names[0]) != names[0]:
                raise _DifferentError
        return names[0]

    def _type(self, nodes: Sequence[DType]) -> DType:
        values = tuple(nodes)
        if len(set(values)) == 1:
            return values[0]
        self.know_type("Value", values)
        if values not in self.types:
            raise _DifferentError
        return self.types[values]

    def _size(self, values: tuple[int, ...], role: str) -> Size:
        if role != "value":
            self.roles.setdefault(values, role)
        size = self.known.get(values)
        if size is None:
            size = self.known[values] = Size(self.free.variable(self.roles.get(values, role)), values)
        self.used.setdefault(size)
        return size

    def _literal(self, nodes: Sequence[kir.Lit]) -> kir.Expr:
        dtype = self._type([node.dtype for node in nodes])
        values = [node.value for node in nodes]
        if len({_bits(value) for value in values}) == 1:
            return replace(nodes[0], dtype=dtype)
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


def _is_spelled(node: object) -> bool:
    """Whether C++ writes the operation for every type that a type parameter is: narrow floats are structs of bits."""
    match node:
        case kir.Cast(operand, dtype):
            source = dtype_of(operand)
            if not isinstance(source, TypeParameter) and not isinstance(dtype, TypeParameter):
                return True
            pairs = list(zip(_values(source, dtype), _values(dtype, source), strict=True))
            return all(one is other or F32 in (one, other) for one, other in pairs if _is_narrow(one, other))
        case kir.Apply(op, operands, dtype) if op != "where":
            return not any(_may_be_narrow(each) for each in (dtype, *map(dtype_of, operands)))
        case kir.Shuffle() | kir.Atomic() | kir.Fold() | kir.Scan():
            return not _may_be_narrow(node.dtype)
    return True


def _may_be_narrow(dtype: DType) -> bool:
    return isinstance(dtype, TypeParameter) and dtype.may_be_narrow


def _is_narrow(*types: DType) -> bool:
    return any(each.is_narrow_float for each in types)


def _values(dtype: DType, other: DType) -> tuple[DType, ...]:
    """What a type is in each instance; one of the two is a type parameter."""
    if isinstance(dtype, TypeParameter):
        return dtype.values
    return (dtype,) * (len(other.values) if isinstance(other, TypeParameter) else 1)


def _type_parameter(name: str, values: tuple[DType, ...]) -> TypeParameter:
    return TypeParameter(
        name=name,
        kind="float",
        bits=max(value.bits for value in values),
        cxx=name,
        numpy="",
        mantissa=min(value.mantissa for value in values),
        exponent=min(value.exponent for value in values),
        values=values,
    )


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


def _order(fold: kir.Fold | kir.Scan) -> int:
    """Are there fewer lanes than threads, as many, or more? The text differs."""
    lanes, threads = largest(fold.lanes), largest(fold.threads)
    return (lanes > threads) - (lanes < threads)


def _is_whole(value: bool | int | float) -> bool:
    return not isinstance(value, float) or (value.is_integer() and abs(value) < 2**53 and _bits(value) != _bits(-0.0))


def _bits(value: bool | int | float) -> object:
    return struct.pack("<d", value) if isinstance(value, float) else value
