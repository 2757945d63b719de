"""The entry points: a file, a text or a living function as one HIR module. Faults go to the sink."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import FunctionType
from typing import Final

from transpile.diagnostics import names
from transpile.diagnostics.core import Sink
from transpile.frontend.bindings import Definition
from transpile.frontend.files import FileNamespace, Files
from transpile.frontend.kinds import StaysPython, decorated_kind, kind_of, report_unknown_decorators
from transpile.frontend.live import LiveProgram
from transpile.frontend.outline import FunctionNode, Outline, name_span, outline
from transpile.frontend.parse import read_source, tree_of
from transpile.frontend.program import collect
from transpile.ir import hir
from transpile.source import SourceFile

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_INDENTED_DECORATOR: Final = re.compile(r"^[ \t\f]+@", re.MULTILINE)


def load_file(path: str, sink: Sink) -> hir.Module | None:
    """HIR of the file, read as text: nothing is executed. None where it is not Python. Raises OSError."""
    source = read_source(path, sink)
    if source is None:
        return None
    return load_text(source, Path(path).stem, sink, Path(path).resolve().parent)


def load_text(source: SourceFile, stem: str, sink: Sink, directory: Path | None) -> hir.Module | None:
    """HIR of a text; what it imports is looked for in `directory`. None where the text is not Python."""
    shape = outline(source, sink)
    if shape is None:
        return None
    files = Files(directory, source.name, sink)
    own = FileNamespace(shape, files, None, "")
    roots, skipped = _definitions(shape, own, sink)
    functions = collect(roots, sink, tree_of)
    return hir.Module(
        source=source, stem=stem, functions=functions, files=(source, *files.sources()), skipped=tuple(skipped)
    )


def load_function(function: FunctionType, sink: Sink) -> hir.Module | None:
    """HIR of a function of the running program, the last of the module, and of the device functions that it reaches.

    Names mean what they mean now: captured values come from its globals and its closure. None where its text cannot be
    read.
    """
    program = LiveProgram(function, sink)
    root = program.root()
    if root is None:
        return None
    functions = collect([root], sink, program.parse_lines)
    return hir.Module(source=root.source, stem=Path(root.source.name).stem, functions=functions, files=program.files())


def _definitions(shape: Outline, own: FileNamespace, sink: Sink) -> tuple[list[Definition], list[tuple[str, str]]]:
    """What is compiled of a file, in source order, and what stays Python, with the reason."""
    roots: list[Definition] = []
    skipped: list[tuple[str, str]] = []
    compiled: dict[str, FunctionNode] = {}
    for node in shape.module.body:
        if not isinstance(node, _FUNCTIONS):
            continue
        if report_unknown_decorators(node, own, shape.source, sink):
            continue
        kind = kind_of(node, own)
        if isinstance(kind, StaysPython):
            skipped.append((node.name, kind.why))
            continue
        compiled[node.name] = node
        definition = own.lookup(node.name)
        if isinstance(definition, Definition) and all(root.key != definition.key for root in roots):
            roots.append(definition)
    for node in compiled.values():
        _report_duplicate(shape, node, sink)
    if _INDENTED_DECORATOR.search(shape.source.text):
        _report_nested(shape, own, sink)
    return roots, skipped


def _report_duplicate(shape: Outline, node: FunctionNode, sink: Sink) -> None:
    """Reports a compiled function whose name something else binds too."""
    other = next((bound.node for bound in shape.names[node.name] if bound.node is not node), None)
    if other is None:
        return
    place = name_span(shape.source, other) if isinstance(other, _FUNCTIONS) else shape.span(other)
    sink.report(names.duplicate_function(name_span(shape.source, node), node.name, place))


def _report_nested(shape: Outline, own: FileNamespace, sink: Sink) -> None:
    """Kernels that stand inside something: the text alone does not say what they capture."""
    waiting: list[tuple[ast.AST, str]] = [(node, "") for node in shape.module.body]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, _FUNCTIONS) and inside and decorated_kind(node, own) is not None:
            sink.report(names.nested_kernel(name_span(shape.source, node), node.name, inside))
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                inside = f"function '{name}'"
            case ast.ClassDef(name=name):
                inside = f"class '{name}'"
            case ast.stmt():
                inside = inside or "another statement"
        waiting.extend((child, inside) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
