"""Names as a running program has them: the globals and the closure of a function that is about to be launched."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Final

from transpile import dtypes
from transpile.diagnostics import names
from transpile.diagnostics.core import Sink
from transpile.frontend.bindings import (
    Binding,
    Definition,
    HostFunction,
    HostValue,
    Missing,
    ModuleName,
    NotStatic,
    Refused,
    StaticName,
    StaticValue,
    TypeName,
    an,
    builtin,
    language_name,
    near_names,
)
from transpile.frontend.kinds import decorated_kind
from transpile.frontend.outline import FunctionNode, first_line
from transpile.frontend.parse import Parsed, Tree, parse_text, tree_of, with_plain_ends
from transpile.frontend.type_variables import variable_of
from transpile.frontend.vocabulary import DIALECTS, TYPE_NAMES
from transpile.ir import hir
from transpile.source import SourceFile, Span

_LANGUAGE: Final = "transpile.lang."


@dataclass(frozen=True, slots=True)
class _Text:
    """What one file's text holds: each function by first line and name, as a node and as the code it compiles to."""

    nodes: dict[tuple[int, str], FunctionNode]
    codes: dict[tuple[int, str], CodeType]


@functools.lru_cache(maxsize=64)
def _read(text: str) -> _Text | None:
    """Pure in its argument. Each launch looks at the text of its kernel's file, and must not pay for it twice."""
    try:
        module = ast.parse(text)
        code = compile(text, "<text>", "exec", dont_inherit=True, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = {
        (first_line(node), node.name): node
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return _Text(nodes, {(each.co_firstlineno, each.co_name): each for each in _codes(code)})


@functools.lru_cache(maxsize=256)
def _parsed(text: str) -> Parsed:
    """Pure in its argument, and kept for the same reason."""
    return parse_text(text)


def _codes(code: CodeType) -> Iterator[CodeType]:
    waiting = [code]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(constant for constant in one.co_consts if isinstance(constant, CodeType))


class LiveProgram:
    """What one launch reaches. A function of the root's own module is keyed by its name, another by `module.name`."""

    def __init__(self, function: FunctionType, sink: Sink) -> None:
        self.function = function
        self.sink = sink
        self.sources: dict[str, SourceFile] = {}
        self.definitions: dict[FunctionType, Definition | None] = {}

    def root(self) -> Definition | None:
        """The launched function itself, or None with the reason reported."""
        return self.definition(self.function, None)

    def files(self) -> tuple[SourceFile, ...]:
        return tuple(self.sources.values())

    def parse_lines(self, source: SourceFile, first: int, last: int) -> Tree:
        return tree_of(source, first, last, _parsed)

    def definition(self, function: FunctionType, kind: hir.FunctionKind | None) -> Definition | None:
        """The text behind a function; `kind` None means: as its decorator says. None with the reason reported."""
        if function not in self.definitions:
            self.definitions[function] = None
            self.definitions[function] = self._definition(function, kind)
        return self.definitions[function]

    def _definition(self, function: FunctionType, kind: hir.FunctionKind | None) -> Definition | None:
        code = function.__code__
        source = self._source(function)
        place = Span(source, code.co_firstlineno, 1, code.co_firstlineno, 2)
        if not source.text:
            self.sink.report(names.no_source(place, function.__name__))
            return None
        text = _read(source.text)
        node = text.nodes.get((code.co_firstlineno, code.co_name)) if text is not None else None
        if text is None or node is None or not _is_same_code(text, code, source, node):
            self.sink.report(names.source_changed(place, function.__name__))
            return None
        namespace = LiveNamespace(self, function)
        kind = kind or decorated_kind(node, namespace)
        if kind is None:
            self.sink.report(names.undecorated(place, function.__name__))
            return None
        return Definition(
            key=self._key(function),
            name=function.__name__,
            kind=kind,
            source=source,
            first=code.co_firstlineno,
            last=node.end_lineno or node.lineno,
            namespace=namespace,
        )

    def _key(self, function: FunctionType) -> str:
        is_near = function.__globals__ is self.function.__globals__
        key = function.__name__ if is_near else f"{function.__module__}.{function.__name__}"
        taken = {definition.key for definition in self.definitions.values() if definition is not None}
        if function is not self.function:
            taken.add(self.function.__name__)
        free, count = key, 1
        while free in taken:  # two closures of one factory have one name
            count += 1
            free = f"{key}_{count}"
        return free

    def _source(self, function: FunctionType) -> SourceFile:
        """The text of the file as it is now; empty where there is none."""
        name = function.__code__.co_filename
        if name not in self.sources:
            linecache.checkcache(name)
            lines = linecache.getlines(name, function.__globals__)
            self.sources[name] = SourceFile(name, with_plain_ends("".join(lines)))
        return self.sources[name]

    def place_of(self, function: FunctionType) -> Span | None:
        """Where a function of Python's own begins, if it stands in a file that is read anyway."""
        code = function.__code__
        if code.co_filename not in self.sources:
            return None
        source = self.sources[code.co_filename]
        line = code.co_firstlineno
        while line < len(source.lines) and "def " not in source.line(line):
            line += 1
        column = source.line(line).find(code.co_name) + 1
        return Span(source, line, column, line, column + len(code.co_name)) if column else None


def _is_same_code(text: _Text, code: CodeType, source: SourceFile, node: FunctionNode) -> bool:
    """Whether the text still says what Python loaded. Tools that rewrite `assert` get the benefit of the doubt."""
    now = text.codes.get((code.co_firstlineno, code.co_name))
    if now is None:
        return False
    if any("assert" in line for line in source.lines[node.lineno - 1 : node.end_lineno]):
        return True
    return _essence(now) == _essence(code)


def _essence(code: CodeType) -> tuple[object, ...]:
    constants = repr([value for value in code.co_consts if not isinstance(value, CodeType)])
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars


class LiveNamespace:
    """The names around one living function."""

    def __init__(self, program: LiveProgram, function: FunctionType) -> None:
        self.program = program
        self.function = function

    def names(self) -> Iterable[str]:
        return (*self.function.__globals__, *self.function.__code__.co_freevars)

    def is_own(self, name: str) -> bool:
        return name in self.function.__globals__ or name in self.function.__code__.co_freevars

    def lookup(self, name: str) -> Binding:
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if name in cells:
            try:
                return self._meaning(cells[name].cell_contents)
            except ValueError:
                return NotStatic("has no value yet in the function around this one")
        if name in self.function.__globals__:
            return self._meaning(self.function.__globals__[name])
        found = builtin(name)
        return Missing(near_names(name, self.names())) if isinstance(found, Missing) else found

    def _meaning(self, value: object) -> Binding:
        if isinstance(value, ModuleType):
            return _module(value)
        static = _static(value)
        if static is not None:
            return StaticName(static)
        if isinstance(value, FunctionType) and not value.__module__.startswith(_LANGUAGE):
            return HostFunction(value.__name__, self.program.place_of(value))
        return self._of_language(value) or _builtin_or_value(value)

    def _of_language(self, value: object) -> Binding | None:
        """A kernel or device function, a function of the language, or one of its types."""
        inner = getattr(value, "function", None)
        if type(value).__module__.startswith(_LANGUAGE) and isinstance(inner, FunctionType):
            definition = self.program.definition(inner, getattr(value, "kind", "device"))
            return definition or Refused()
        types = getattr(value, "dtypes", None)
        if type(value).__module__ == f"{_LANGUAGE}type_variable" and isinstance(types, tuple):
            return TypeName(
                variable_of(str(getattr(value, "__name__", "T")), tuple(dtypes.BY_NAME[each] for each in types))
            )
        module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
        if not isinstance(module, str) or not module.startswith(_LANGUAGE) or not isinstance(name, str):
            return None
        last = module.removeprefix(_LANGUAGE)
        if last not in DIALECTS and f"native.{name}" in TYPE_NAMES:
            return TypeName(TYPE_NAMES[f"native.{name}"])
        found = language_name(f"{last if last in DIALECTS else 'native'}.{name}")
        return None if isinstance(found, Missing) else found


def _module(value: ModuleType) -> Binding:
    name = value.__name__
    if name in ("transpile", "math"):
        return ModuleName(name)
    last = name.removeprefix(_LANGUAGE)
    return ModuleName(last) if name.startswith(_LANGUAGE) and last in DIALECTS else HostValue("a module")


def _static(value: object) -> StaticValue | None:
    """A number as Python's own, also of a subclass (an `IntEnum`, NumPy's float64)."""
    match value:
        case bool():
            return value
        case int():
            return int(value)
        case float():
            return float(value)
        case tuple():
            parts = tuple(_static(item) for item in value)
            return None if any(part is None for part in parts) else tuple(part for part in parts if part is not None)
    return None


def _builtin_or_value(value: object) -> Binding:
    name = getattr(value, "__name__", "")
    if isinstance(name, str) and name and getattr(builtins, name, None) is value:
        return builtin(name)
    if isinstance(value, BuiltinFunctionType) and getattr(math, name, None) is value:
        found = language_name(f"math.{name}")
        return HostFunction(f"math.{name}") if isinstance(found, Missing) else found
    if isinstance(value, type):
        return HostValue("a class")
    if callable(value) and isinstance(name, str) and name:
        return HostFunction(name)
    return HostValue("None" if value is None else an(type(value).__name__))
