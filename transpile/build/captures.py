"""Whether a value that was compiled into a module still is what the running program has under its name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final


class _Missing:
    """Stands for what is not there any more."""

    def __repr__(self) -> str:
        return "gone"


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Capture:
    """`name` as the code of `owner` writes it, maybe dotted, and the repr of the number that was compiled in."""

    owner: FunctionType | None
    name: str
    value: str

    def now(self) -> object:
        return _plain(look_up(self.owner, self.name)) if self.owner is not None else MISSING

    def is_current(self) -> bool:
        """Equal, of the same kind of number; tells 0.0 from -0.0 and takes NaN for NaN."""
        return repr(self.now()) == self.value


def look_up(function: FunctionType, dotted: str) -> object:
    """What a name in the function's body refers to now; `len(NAME)` is the length of a tuple."""
    if dotted.startswith("len("):
        held = look_up(function, dotted.removeprefix("len(").removesuffix(")"))
        return len(held) if isinstance(held, tuple) else MISSING
    first, *rest = dotted.split(".")
    value = function.__globals__.get(first, MISSING)
    for name in rest:
        value = getattr(value, name, MISSING)
    return value


def _plain(value: object) -> object:
    """A Python number for a number of a subclass, and for a NumPy scalar."""
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    item: Any = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "shape", None) == () else value


def function_of(kernel: FunctionType, key: str) -> FunctionType | None:
    """The Python function behind a key of the kernel's module: `name`, or `module.name` of another file."""
    module, _, name = key.rpartition(".")
    holder = getattr(sys.modules.get(module), name, None) if module else kernel.__globals__.get(name)
    found = getattr(holder, "function", None)
    return found if isinstance(found, FunctionType) else None


def watch(kernel: FunctionType, captured: Mapping[str, str]) -> tuple[Capture, ...]:
    """What to look at before a launch. `captured` is of the module's table: by `NAME` what the kernel reads, and by
    `KEY:NAME` what a device function reads that it calls."""
    found = []
    for path, value in captured.items():
        key, colon, name = path.rpartition(":")
        found.append(Capture(function_of(kernel, key) if colon else kernel, name, value))
    return tuple(found)
