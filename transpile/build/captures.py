"""Whether what a compiled kernel took from outside still is what it was: its constants, and the functions it calls.

Both are frozen into the compiled code, so a launch looks at the living program before it uses that code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

Number = bool | int | float


class _Missing:
    """Stands for what is not there any more."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class Capture:
    """`name` as the code of `owner` writes it, maybe dotted, and the value that was compiled in."""

    owner: FunctionType
    name: str
    value: Number

    def is_current(self) -> bool:
        return is_same(look_up(self.owner, self.name), self.value)


@dataclass(frozen=True, slots=True)
class Callee:
    """A device function by the name under which `owner`'s file has it."""

    owner: FunctionType
    key: str
    function: FunctionType

    def is_current(self) -> bool:
        return function_of(self.owner, self.key) is self.function


def look_up(function: FunctionType, dotted: str) -> object:
    """What a name in the function's body refers to now: a cell of the enclosing function, a global or a builtin."""
    first, *rest = dotted.split(".")
    value: object = MISSING
    if function.__closure__ is not None and first in function.__code__.co_freevars:
        cell = function.__closure__[function.__code__.co_freevars.index(first)]
        try:
            value = cell.cell_contents
        except ValueError:
            return MISSING
    elif first in function.__globals__:
        value = function.__globals__[first]
    for name in rest:
        value = getattr(value, name, MISSING)
    return value


def is_same(now: object, then: Number) -> bool:
    """Whether a value means what it meant: equal, of the same kind of number, and NaN like NaN."""
    number = _plain(now)
    if type(number) is not type(then):
        return False
    return repr(number) == repr(then)  # tells 0.0 from -0.0, takes NaN for NaN


def _plain(value: object) -> object:
    """A Python number for a NumPy scalar."""
    if isinstance(value, (bool, int, float)):
        return bool(value) if isinstance(value, bool) else int(value) if isinstance(value, int) else float(value)
    item: Any = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def function_of(kernel: FunctionType, key: str) -> FunctionType | None:
    """The Python function behind a key of the kernel's module: `name`, or `module.name` of another file."""
    module, _, name = key.rpartition(".")
    if module:
        holder: object = getattr(sys.modules.get(module), name, None)
    elif name == kernel.__name__:
        return kernel
    else:
        holder = look_up(kernel, name)
    found = getattr(holder, "function", None)
    return found if isinstance(found, FunctionType) else None


def watch(
    kernel: FunctionType, captured: Mapping[str, Iterable[tuple[str, Number]]]
) -> tuple[tuple[Capture, ...], tuple[Callee, ...]] | None:
    """What to look at before a launch, from the values captured by each function that the kernel reaches; None where a
    function cannot be found by its key."""
    captures: list[Capture] = []
    callees: list[Callee] = []
    for key, values in captured.items():
        function = function_of(kernel, key)
        if function is None:
            return None
        if function is not kernel:
            callees.append(Callee(kernel, key, function))
        captures.extend(Capture(function, name, value) for name, value in values)
    return tuple(captures), tuple(callees)
