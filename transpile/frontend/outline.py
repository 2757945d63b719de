"""The shape of a file: its top-level statements, the names that they bind, and where its functions are.

Made with `ast`, which is ten times faster than libcst: only what is compiled is then parsed by `parse.py`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from transpile.diagnostics import syntax
from transpile.diagnostics.core import Sink
from transpile.source import SourceFile, Span

# Deeper nests are refused before libcst sees them: its parser is native and would exhaust the stack.
DEEPEST: Final = 2000

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Bound:
    """One place where the module binds a name. `is_plain`: a statement of the top level itself, run once in order."""

    node: ast.AST
    statement: ast.stmt
    is_plain: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """`names` holds every place that binds a name of the module, in source order."""

    source: SourceFile
    module: ast.Module
    names: dict[str, list[Bound]]
    stars: tuple[ast.ImportFrom, ...]

    def span(self, node: ast.AST) -> Span:
        return span_of(self.source, node)


def outline(source: SourceFile, sink: Sink) -> Outline | None:
    """The outline of a file, or None with the reason reported."""
    module = _module(source, sink)
    if module is None:
        return None
    names: dict[str, list[Bound]] = {}
    for statement in module.body:
        for node, name in _bindings(statement):
            is_plain = node is statement or isinstance(
                statement, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom
            )
            names.setdefault(name, []).append(Bound(node, statement, is_plain))
    if "global" in source.text:
        for statement in module.body:
            for name, node in _global_writes(statement):
                names.setdefault(name, []).append(Bound(node, statement, is_plain=False))
    stars = tuple(
        node
        for node in module.body
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    )
    return Outline(source, module, names, stars)


def span_of(source: SourceFile, node: ast.AST) -> Span:
    """`ast` counts columns in bytes, from 0; we count characters, from 1."""
    line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
    return Span(
        source,
        line,
        _characters(source.line(line), getattr(node, "col_offset", 0)) + 1,
        end,
        _characters(source.line(end), getattr(node, "end_col_offset", 0)) + 1,
    )


def name_span(source: SourceFile, function: FunctionNode) -> Span:
    """Where the name stands in `def name(…)`."""
    start = span_of(source, function)
    column = source.line(start.line).find(function.name, start.column + len("def")) + 1
    return Span(source, start.line, column, start.line, column + len(function.name))


def first_line(function: FunctionNode) -> int:
    """The line of the first decorator, or of the `def`."""
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _characters(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode(errors="ignore"))


def _at(source: SourceFile, line: int, column: int) -> Span:
    line = min(max(line, 1), len(source.lines))
    column = min(max(column, 1), len(source.line(line)) + 1)
    return Span(source, line, column, line, column + 1)


def _module(source: SourceFile, sink: Sink) -> ast.Module | None:
    place = source.text.find("\0")
    if place >= 0:
        before = source.text[:place]
        sink.report(syntax.null_character(_at(source, before.count("\n") + 1, place - before.rfind("\n"))))
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source.text, source.name, "exec", dont_inherit=True)  # finds more than `ast.parse`; nothing is run
            module = ast.parse(source.text)
    except SyntaxError as fault:
        sink.report(syntax.syntax_error(_at(source, fault.lineno or 1, fault.offset or 1), fault.msg))
        return None
    except (RecursionError, MemoryError):
        sink.report(syntax.too_deep(longest_line(source)))
        return None
    for statement in module.body:
        if _length(source, statement) > DEEPEST and _depth(statement) > DEEPEST:
            sink.report(syntax.too_deep(span_of(source, statement)))
            return None
    return module


def _length(source: SourceFile, statement: ast.stmt) -> int:
    return sum(len(line) + 1 for line in source.lines[statement.lineno - 1 : statement.end_lineno])


def _depth(root: ast.AST) -> int:
    deepest = 0
    waiting: list[tuple[ast.AST, int]] = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return deepest


def longest_line(source: SourceFile, first: int = 1, last: int | None = None) -> Span:
    """The longest of some lines: where a nest that nothing could parse most likely is."""
    numbers = range(first, (last or len(source.lines)) + 1)
    line = max(numbers, key=lambda number: len(source.line(number)))
    text = source.line(line)
    return _at(source, line, len(text) - len(text.lstrip()) + 1)


# ---------------------------------------------------------------- names


def _bindings(statement: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """What a statement of the module binds, with the node that does; not what happens inside functions and classes."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node, name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for alias in names:
                    yield node, alias.asname or alias.name.partition(".")[0]
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield node, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node, name
        if isinstance(node, ast.comprehension):
            waiting.extend([*reversed(node.ifs), node.iter])  # its target is its own
        elif not isinstance(node, _SCOPES):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _global_writes(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    for function in ast.walk(statement):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        names = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        for node in ast.walk(function) if names else ():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in names:
                yield node.id, node
