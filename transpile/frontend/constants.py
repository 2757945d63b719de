"""Constants of a module: what an assignment at the top level of a file makes of a name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import libcst as cst

from transpile.diagnostics.core import Sink
from transpile.frontend import static
from transpile.frontend.bindings import (
    Binding,
    HostFunction,
    HostValue,
    Missing,
    Namespace,
    NotStatic,
    Refused,
    StaticName,
    TypeName,
)
from transpile.frontend.body import CONSTANT, Body, path_of
from transpile.frontend.expressions import tuple_or_expression
from transpile.frontend.parse import Tree, tree_of
from transpile.frontend.type_variables import is_type_variable, type_variable

if TYPE_CHECKING:
    from transpile.frontend.files import FileNamespace

_MIXED: Final = "is not made of literals and other constants alone"
_VALUES: Final[dict[type[cst.CSTNode], str]] = {
    cst.SimpleString: "a string",
    cst.ConcatenatedString: "a string",
    cst.FormattedString: "a string",
    cst.List: "a list",
    cst.ListComp: "a list",
    cst.Dict: "a dict",
    cst.DictComp: "a dict",
    cst.Set: "a set",
    cst.SetComp: "a set",
    cst.Imaginary: "a complex number",
    cst.GeneratorExp: "a generator",
}


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The names of a file as they are when line `line` runs."""

    file: FileNamespace
    line: int

    def lookup(self, name: str) -> Binding:
        bounds = self.file.outline.names.get(name)
        if bounds and bounds[0].statement.lineno >= self.line:
            return Missing()
        return self.file.lookup(name)

    def names(self) -> Iterable[str]:
        return self.file.names()

    def is_own(self, name: str) -> bool:
        return self.file.is_own(name)


def values_needed(statement: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    """The names that the right side reads."""
    if statement.value is not None:
        yield from (node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name))


def constant_value(file: FileNamespace, statement: ast.stmt, name: str) -> Binding:
    """The value of `name`, which `statement` assigns and nothing else does. A fault in it is reported, once."""
    source = file.outline.source
    try:
        tree = tree_of(source, statement.lineno, statement.end_lineno or statement.lineno)
        value = _assigned(tree, name)
        if value is None:
            return NotStatic("is assigned a part of a value", file.outline.span(statement))
        return _evaluated(tree, value, name, _Earlier(file, statement.lineno), file.files.sink)
    except (RecursionError, cst.ParserSyntaxError):
        return NotStatic("is written in a way that is not read", file.outline.span(statement))


def _evaluated(tree: Tree, value: cst.BaseExpression, name: str, namespace: Namespace, sink: Sink) -> Binding:
    span = tree.span(value)
    if type(value) in _VALUES:
        return HostValue(_VALUES[type(value)], span)
    if isinstance(value, cst.Lambda):
        return HostFunction("a lambda", span)
    if isinstance(value, cst.Name) and value.value == "None":
        return HostValue("None", span)
    body = Body(tree=tree, namespace=namespace, sink=Sink(), where=CONSTANT)
    if is_type_variable(value, body):
        return type_variable(body, value, name, sink)
    path = path_of(body, value)
    if path is not None and isinstance(path.binding, TypeName):
        return path.binding
    expression = tuple_or_expression(body, value)
    if body.sink.has_errors:
        return NotStatic(_MIXED, span)
    try:
        return StaticName(static.evaluate(expression))
    except static.NotConstantError as fault:
        return NotStatic(_MIXED, fault.span)
    except static.ConstantFaultError as fault:
        sink.report(fault.diagnostic)
        return Refused()


def _assigned(tree: Tree, name: str) -> cst.BaseExpression | None:
    """The expression that `name` is assigned in the statements of `tree`."""
    for line in tree.module.body:
        for statement in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            match statement:
                case cst.AnnAssign(target=cst.Name(value=target), value=value) if target == name:
                    return value
                case cst.Assign(targets=targets, value=value):
                    for each in targets:
                        found = _part(each.target, value, name)
                        if found is not None:
                            return found
    return None


def _part(target: cst.BaseExpression, value: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """Of `target = value`, the part that `name` gets."""
    if isinstance(target, cst.Name):
        return value if target.value == name else None
    if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
        return None
    if len(target.elements) != len(value.elements):
        return None
    for left, right in zip(target.elements, value.elements, strict=True):
        found = _part(left.value, right.value, name)
        if found is not None:
            return found
    return None
