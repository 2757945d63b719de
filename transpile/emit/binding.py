"""TIR -> what Python sees of a module: the rows of its table (`STEM_ext.cpp`) and of its stub (`STEM_ext.pyi`), as
decided strings for the templates. See `runtime_cpp/include/transpile/table.h` for what the engine makes of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from transpile.diagnostics.core import InternalError
from transpile.dtypes import DType
from transpile.emit.doc import Doc, group, joined, lines
from transpile.emit.literals import quoted
from transpile.emit.overlap import parameters_apart
from transpile.ir import tir
from transpile.ir.walk import all_ops
from transpile.lowering.names import ascii_name, symbol
from transpile.typing.program import instance_key
from transpile.typing.types import Pointer, Scalar

ROLES: Final = {"tile": "tile_kernel", "thread": "thread_kernel", "launcher": "launcher"}
_PYTHON: Final = {"bool": "bool", "int": "int", "uint": "int", "float": "float"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One kernel or launcher of the module, for one choice of its element types: C++ functions that unpack arguments
    (one an instance), constant arrays and the row of the table; for the stub, where `is_first` of its name, the
    parameters, what the brackets take, and the docstring's lines."""

    name: str
    thunks: tuple[tuple[str, ...], ...]
    arrays: tuple[tuple[str, ...], ...]
    row: tuple[str, ...]
    is_launcher: bool
    is_first: bool
    parameters: str
    brackets: str
    docstring: tuple[str, ...]


def bindings(module: tir.Module, docstrings: Mapping[str, str]) -> tuple[Binding, ...]:
    """One for each kernel that has an instance, and each launcher; `docstrings` by the key of the user's function."""
    groups: dict[tuple[str, tuple[DType, ...]], list[tir.Function]] = {}
    for function in module.functions:
        if function.kind != "device":
            groups.setdefault((function.base, function.types), []).append(function)
    firsts = dict.fromkeys(base for base, _ in groups)
    held = {base: [group for (name, _), group in groups.items() if name == base] for base in firsts}
    return tuple(
        _binding(module, group, docstrings.get(base, ""), is_first=group is held[base][0])
        for base in firsts
        for group in held[base]
    )


def _binding(module: tir.Module, instances: list[tir.Function], docstring: str, *, is_first: bool) -> Binding:
    first = instances[0]
    base = first.base
    statics = [_array("int64_t", _statics_name(each), [str(value) for value in statics_of(each)]) for each in instances]
    rows = {
        "parameter": [_parameter(each) for each in first.parameters],
        "instance": [_instance(each) for each in instances],
        "pair": [f"{{{a}, {b}}}" for a, b in parameters_apart(module, first)],
        "capture": [f"{{{quoted(name)}, {quoted(value)}}}" for name, value in _captures(module, first)],
    }
    names = {element: f"{ascii_name(instance_key(base, first.types))}_{element}s" for element in rows}
    arrays = [*statics, *(_array(element, names[element], items) for element, items in rows.items())]
    return Binding(
        name=base,
        thunks=tuple(_thunk(module.stem, each) for each in instances),
        arrays=tuple(array for array in arrays if array),
        row=_row(first, docstring, [names[element] if items else "{}" for element, items in rows.items()]),
        is_launcher=first.kind == "launcher",
        is_first=is_first,
        parameters="".join(f"{_stub_parameter(each)}, " for each in first.parameters),
        brackets="_Sizes" if first.kind == "tile" else "tuple[_Sizes, _Sizes]",
        docstring=_docstring(docstring),
    )


def statics_of(function: tir.Function) -> tuple[int, ...]:
    return tuple(each.static for each in function.parameters if each.static is not None)


def _statics_name(function: tir.Function) -> str:
    return f"{ascii_name(function.key)}_statics"


def _array(element: str, name: str, rows: list[str]) -> tuple[str, ...]:
    """A constant array, its rows on one line where they fit; nothing where there are none."""
    if not rows:
        return ()
    whole = lines(group(f"constexpr {element} {name}[] = {{", group(*joined(rows)), "};"))
    if len(whole) == 1 or len(rows) == 1:
        return whole
    return (f"constexpr {element} {name}[] = {{", *lines(group("    ", group(*joined(rows)), ","), 0, 4), "};")


def _parameter(parameter: tir.Parameter) -> str:
    kind, dtype = kind_and_dtype(parameter)
    return f"{{{quoted(parameter.name)}, kind::{kind}, dtype::{dtype}}}"


def kind_and_dtype(parameter: tir.Parameter) -> tuple[str, str]:
    """The enumerators of `table.h` for a parameter."""
    kind = parameter.value.type
    if parameter.static is not None:
        return "static_int", "i64"
    if isinstance(kind, Pointer):
        return "const_pointer" if kind.const else "pointer", _dtype(kind)
    if isinstance(kind, Scalar):
        return "scalar", _dtype(kind)
    raise InternalError("a parameter that is neither scalar nor pointer", parameter)


def _dtype(kind: Pointer | Scalar) -> str:
    return "boolean" if kind.dtype.name == "bool" else kind.dtype.name


def _instance(function: tir.Function) -> str:
    statics = _statics_name(function) if statics_of(function) else "{}"
    return f"{{{statics}, call_{ascii_name(function.key)}}}"


def _thunk(stem: str, function: tir.Function) -> tuple[str, ...]:
    """`call_NAME`: takes the arguments from an array of values."""
    sizes = {"tile": 3, "thread": 6, "launcher": 0}[function.kind]
    types = ["int64_t"] * sizes + [_cxx(each) for each in function.parameters if each.static is None]
    arguments: list[Doc] = [f"v[{place}].as<{name}>()" for place, name in enumerate(types)]
    opening = f"return ::{symbol(stem, function.key)}("
    call = lines(group(opening, group(*joined([*arguments, "stream"])), ");"), 4, 8)
    values = "const value *v" if arguments else "const value *"
    head = f"int32_t call_{ascii_name(function.key)}({values}, void *stream) {{"
    return head, *call, "}"


def _cxx(parameter: tir.Parameter) -> str:
    kind = parameter.value.type
    if isinstance(kind, Pointer):
        return f"{'const ' if kind.const else ''}{kind.dtype.abi or kind.dtype.cxx} *"
    if isinstance(kind, Scalar):
        return kind.dtype.abi or kind.dtype.cxx
    raise InternalError("a parameter that is neither scalar nor pointer", parameter)


def _row(function: tir.Function, docstring: str, lists: Sequence[str]) -> tuple[str, ...]:
    fields: list[Doc] = [
        quoted(function.base),
        quoted(docstring),
        f"role::{ROLES[function.kind]}",
        f"block_rule::{rule_of(function)}",
        *lists,
    ]
    return lines(group("{", group(*joined(fields)), "},"), 4, 5)


def rule_of(function: tir.Function) -> str:
    """The enumerator of `table.h` for what a kernel asks of its block."""
    names = (("whole_groups", function.uses_shuffles), ("group_rows", function.needs_group_rows))
    wanted = [name for name, is_wanted in names if is_wanted]
    return "whole_groups_and_rows" if len(wanted) == 2 else wanted[0] if wanted else "any"


# ---------------------------------------------------------------- what was captured


def _captures(module: tir.Module, function: tir.Function) -> list[tuple[str, str]]:
    """What the function and everything it calls took from outside: `NAME`, or `KEY:NAME` for one that it calls."""
    found: dict[str, str] = {}
    waiting, seen = [function], {function.key}
    while waiting:
        one = waiting.pop(0)
        prefix = "" if one is function else f"{one.base}:"
        found.update({f"{prefix}{name}": repr(value) for name, value in one.captured})
        for op in all_ops(one.body):
            if isinstance(op, tir.Call) and op.function not in seen:
                seen.add(op.function)
                waiting.append(module.function(op.function))
    return list(found.items())


# ---------------------------------------------------------------- spellings


def _docstring(text: str) -> tuple[str, ...]:
    """The lines of a literal; nothing for nothing."""
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if not escaped:
        return ()
    found = [line.rstrip() for line in escaped.splitlines()]
    quote = '"""'
    if len(found) == 1:
        return (f"{quote}{found[0]}{' ' if found[0].endswith(chr(34)) else ''}{quote}",)
    return (f"{quote}{found[0]}", *found[1:], quote)


def _stub_parameter(parameter: tir.Parameter) -> str:
    kind = parameter.value.type
    if parameter.static is not None:
        return f"{parameter.name}: int"
    if isinstance(kind, Scalar):
        return f"{parameter.name}: {_PYTHON[kind.dtype.kind]}"
    return f"{parameter.name}: _Array"
