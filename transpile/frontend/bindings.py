"""What a name can mean. `Namespace` finds it: in the text of files (`files.py`) or in a running program (`live.py`)."""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from transpile.dtypes import DType
from transpile.frontend.vocabulary import ALLOCATIONS, DIALECTS, MATH_CONSTANTS, NAMES, TYPE_NAMES, instead_of, members
from transpile.ir import hir
from transpile.source import SourceFile, Span

StaticValue: TypeAlias = "bool | int | float | tuple[StaticValue, ...]"


@dataclass(frozen=True, slots=True)
class ModuleName:
    """`transpile`, one of its dialects (`tile`, `cuda`, `native`), or `math`."""

    path: str


@dataclass(frozen=True, slots=True)
class LanguageName:
    """A name of the language by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeName:
    dtype: DType


@dataclass(frozen=True, slots=True)
class StaticName:
    """A captured value."""

    value: StaticValue


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Definition:
    """A kernel, device function or launcher: lines `first` to `last` of a file, from its first decorator."""

    key: str
    name: str
    kind: hir.FunctionKind
    source: SourceFile
    first: int
    last: int
    namespace: Namespace
    is_elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A function of Python's own. `span` is its `def`, where that was read."""

    name: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class HostValue:
    """Something that a kernel cannot hold; `what` says it with its article: `a list`."""

    what: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class NotStatic:
    """A name of the module whose value the text does not give; `why` is half a sentence about it."""

    why: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class HostImport:
    """`name`, imported from a module whose text is not read."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A constant that has a fault of its own, which is reported where it is written."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Nobody binds this name. `near` are names that do exist, `instead` is what to write; `place` is which part of a
    dotted name it is."""

    near: tuple[str, ...] = ()
    instead: str = ""
    place: int = 0


Binding: TypeAlias = (
    ModuleName
    | LanguageName
    | TypeName
    | StaticName
    | Definition
    | HostFunction
    | HostImport
    | HostValue
    | NotStatic
    | Refused
    | Missing
)


class Namespace(Protocol):
    """The names around a function."""

    def lookup(self, name: str) -> Binding:
        """What `name` means outside the function, builtins included."""

    def names(self) -> Iterable[str]:
        """The names of the module, for hints."""

    def is_own(self, name: str) -> bool:
        """Whether the module itself (not Python's builtins) binds `name`."""


def language_name(dotted: str) -> Binding:
    """A name of the language; `Missing` with what is near, if there is no such."""
    if dotted in TYPE_NAMES:
        return TypeName(TYPE_NAMES[dotted])
    if dotted in MATH_CONSTANTS:
        return StaticName(MATH_CONSTANTS[dotted])
    if dotted in NAMES:
        return LanguageName(dotted)
    module, _, name = dotted.partition(".")
    near, instead = near_names(name, members(module)), instead_of(dotted)
    if module == "math" and not near and not instead:
        instead = f"compiled code has of `math`: {', '.join(members(module))}"
    return Missing(near, instead)


def member(module: ModuleName, name: str) -> Binding:
    """`module.name`."""
    if module.path == "transpile":
        return ModuleName(name) if name in DIALECTS else Missing(near_names(name, DIALECTS))
    return language_name(f"{module.path}.{name}")


def builtin(name: str) -> Binding:
    """A builtin of Python: of the language too, or the host's alone."""
    dotted = f"builtin.{name}"
    if dotted in NAMES:
        return language_name(dotted)
    if not hasattr(builtins, name):
        return Missing()
    value = getattr(builtins, name)
    return HostFunction(name) if callable(value) else HostValue(an(type(value).__name__))


def near_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """At most two names that look like `name`, the nearest first."""
    return tuple(difflib.get_close_matches(name, sorted(set(known)), n=2, cutoff=0.6))


def an(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def is_allocation(binding: Binding) -> bool:
    return isinstance(binding, LanguageName) and binding.name in ALLOCATIONS
