"""What a function captures, as one value that can be compared: the numbers it may read from its module, its enclosing
function and other modules, the same of every device function that it may call, and what its other names stand for."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import TypeAlias

Snapshot: TypeAlias = "tuple[tuple[object, ...], ...]"


def snapshot(function: FunctionType, device_function: Callable[[object], FunctionType | None]) -> Snapshot:
    """Reads the captured values as they are now. `device_function` gives the function behind a device function."""
    found: list[tuple[object, ...]] = []
    waiting, seen = [function], {function}
    while waiting:
        one = waiting.pop()
        found.append((id(one),))
        for name, value in _names(one):
            held = _number(value)
            if held is not None:
                found.append((name, *held))
                continue
            called = device_function(value)
            if called is not None:
                found.append((name, id(called)))
                if called not in seen:
                    seen.add(called)
                    waiting.append(called)
                continue
            found.append((name, repr(value) if isinstance(value, tuple) else (id(value), type(value).__qualname__)))
    return tuple(found)


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
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def _number(value: object) -> tuple[object, ...] | None:
    """A number by its type and bits: 1, 1.0 and True differ, and so do the two zeros; a NaN is itself."""
    if isinstance(value, float):
        return float, struct.pack("d", value)
    if isinstance(value, bool | int):
        return type(value), value
    return None
