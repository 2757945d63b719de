"""What a function captures, as one value that can be compared: the numbers it may read from its module, its enclosing
function and other modules, the same of every device function that it may call, and what its other names stand for.

A snapshot is compared within a process, at every launch; a fingerprint says the same in words that hold in another.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Final, TypeAlias

Snapshot: TypeAlias = "tuple[tuple[object, ...], ...]"
DeviceFunctionOf: TypeAlias = "Callable[[object], FunctionType | None]"
_NOTHING: Final = object()  # what a name is bound to that is not bound
_NAME: Final = re.compile(r"[^\W\d]\w*")


class Watch:
    """A snapshot, and the names that it was read from: while each is bound to the same object, the snapshot holds.

    To compare them costs a tenth of reading them anew, which every launch would have to do.
    """

    __slots__ = ("_bound", "_cells", "snapshot")

    def __init__(self, function: FunctionType, device_function: DeviceFunctionOf) -> None:
        self.snapshot = snapshot(function, device_function)
        functions = reached(function, device_function)
        self._bound = [(space, name, space.get(name, _NOTHING)) for one in functions for space, name in _places(one)]
        self._cells = [(cell, _content(cell)) for one in functions for cell in one.__closure__ or ()]

    def holds(self) -> bool:
        for space, name, value in self._bound:
            if space.get(name, _NOTHING) is not value:
                return False
        return all(_content(cell) is value for cell, value in self._cells)


def snapshot(function: FunctionType, device_function: DeviceFunctionOf) -> Snapshot:
    """Reads the captured values as they are now. `device_function` gives the function behind a device function."""
    found: list[tuple[object, ...]] = []
    for one in reached(function, device_function):
        found.append((id(one),))
        for name, value in _names(one):
            held, called = _number(value), device_function(value)
            if held is not None:
                found.append((name, *held))
            elif called is not None:
                found.append((name, id(called)))
            else:
                found.append((name, repr(value) if isinstance(value, tuple) else (id(value), type(value).__qualname__)))
    return tuple(found)


def reached(function: FunctionType, device_function: DeviceFunctionOf) -> list[FunctionType]:
    """The function and every device function that it may call, in the order in which they are met."""
    found = [function]
    for one in found:
        called = (device_function(value) for _, value in _names(one))
        found.extend(dict.fromkeys(each for each in called if each is not None and each not in found))
    return found


def _places(function: FunctionType) -> Iterator[tuple[dict[str, object], str]]:
    """Where the names stand that `_names` gives, or would if they were bound."""
    code, outer = function.__code__, function.__globals__
    for name in code.co_names:
        yield outer, name
        value = outer.get(name)
        if isinstance(value, ModuleType):
            yield from ((vars(value), inner) for inner in code.co_names)


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _NOTHING


def _names(function: FunctionType) -> Iterator[tuple[str, object]]:
    """The names that the code may mean, with their values; of a module, its attributes that the code names."""
    code, outer = function.__code__, function.__globals__
    for name in code.co_names:
        if name in outer:
            value = outer[name]
            yield name, value
            if isinstance(value, ModuleType):
                held = vars(value)
                yield from ((f"{name}.{inner}", held[inner]) for inner in code.co_names if inner in held)
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        value = _content(cell)
        if value is not _NOTHING:
            yield name, value


def _number(value: object) -> tuple[object, ...] | None:
    """A number by its type and bits: 1, 1.0 and True differ, and so do the two zeros; a NaN is itself."""
    if isinstance(value, float):
        return float, struct.pack("d", value)
    if isinstance(value, bool | int):
        return type(value), value
    return None


# ---------------------------------------------------------------- in words


def fingerprint(function: FunctionType, device_function: DeviceFunctionOf) -> str:
    """The code of the function and of every device function that it may call, and what their names mean now.

    Where it and the files that the functions stand in are equal, so is all that is compiled of them.
    """
    found: list[object] = [sys.implementation.cache_tag]
    functions = reached(function, device_function)
    for one in functions:
        found.append(_code_words(one))
        for name, value in (*_names(one), *_annotation_names(one)):
            called = device_function(value)
            found.append((name, _words(value) if called is None else functions.index(called)))
    return repr(found)


def _code_words(function: FunctionType) -> tuple[object, ...]:
    code = function.__code__
    place = os.path.abspath(code.co_filename), function.__module__, function.__qualname__, code.co_firstlineno
    constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
    names = code.co_names, code.co_varnames, code.co_freevars
    return (*place, code.co_code.hex(), repr(constants), *names, repr(function.__annotations__))


def _annotation_names(function: FunctionType) -> Iterator[tuple[str, object]]:
    """The names in annotations that are kept as text."""
    texts = " ".join(each for each in function.__annotations__.values() if isinstance(each, str))
    for name in dict.fromkeys(_NAME.findall(texts)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _words(value: object) -> object:
    """What a captured value means to a kernel, the same in every process: a number's own value, else a name."""
    match value:
        case bool():
            return value
        case int():
            return int(value)
        case float():
            return float(value).hex()
        case tuple():
            return [_words(each) for each in value]
        case ModuleType():
            return f"module {value.__name__}"
    kind = type(value)
    if kind.__module__ in ("types", "typing"):
        return repr(value)  # native.ptr[float]
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or ""
    return f"{kind.__module__}.{kind.__qualname__} {getattr(value, '__module__', None)}.{name}"
