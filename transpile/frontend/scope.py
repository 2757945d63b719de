"""Which names are local to a function: its parameters and every name that its body binds anywhere, as in Python."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Final

import libcst as cst

from transpile.frontend.parse import Tree
from transpile.source import Span

_NO_CODE: Final = ("leading_lines", "whitespace", "lpar", "rpar", "comma", "semicolon", "operator", "header", "footer")


def local_names(tree: Tree, function: cst.FunctionDef) -> dict[str, Span]:
    """Each local with the place that binds it first, in source order."""
    found: dict[str, Span] = {}
    foreign: set[str] = set()
    for parameter in _parameters(function):
        found.setdefault(parameter.name.value, tree.span(parameter.name))
    for node in _walk(function.body, into_expressions=":=" in tree.span(function).text()):
        if isinstance(node, cst.Global | cst.Nonlocal):
            foreign.update(item.name.value for item in node.names)
        for name in _bound(node):
            found.setdefault(name.value, tree.span(name))
    return {name: span for name, span in found.items() if name not in foreign}


def names_bound(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that `node` binds in the function around it, anywhere inside."""
    for one in _walk(node, into_expressions=True):
        yield from _bound(one)


def _walk(root: cst.CSTNode, *, into_expressions: bool) -> Iterator[cst.CSTNode]:
    """`root` and what is in it, in source order; not what is inside nested functions and classes, whose names are their
    own. Among expressions only `:=` binds anything."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            continue
        if into_expressions or not isinstance(node, cst.BaseExpression):
            waiting.extend(reversed(_children(node)))


def _children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What `node.children` gives, without the white space and a visitor's cost."""
    found: list[cst.CSTNode] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple | list):
            found.extend(item for item in value if isinstance(item, cst.CSTNode))
        elif isinstance(value, cst.CSTNode):
            found.append(value)
    return found


@functools.cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold statements or expressions, in source order."""
    names = (field.name for field in dataclasses.fields(kind))
    return tuple(name for name in names if not any(word in name for word in _NO_CODE))


def _parameters(function: cst.FunctionDef) -> Iterator[cst.Param]:
    parameters = function.params
    yield from (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            yield star


def _bound(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that a node itself binds."""
    match node:
        case cst.AssignTarget() | cst.AnnAssign() | cst.AugAssign() | cst.For() | cst.NamedExpr() | cst.Del():
            yield from names_in(node.target)
        case cst.AsName():
            yield from names_in(node.name)
        case cst.ImportAlias(asname=None, name=name):
            first: cst.BaseExpression = name
            while isinstance(first, cst.Attribute):
                first = first.value
            yield from names_in(first)
        case cst.FunctionDef() | cst.ClassDef():
            yield node.name
        case cst.MatchAs(name=cst.Name() as name) | cst.MatchStar(name=cst.Name() as name):
            yield name


def names_in(target: cst.BaseExpression) -> Iterator[cst.Name]:
    """The names of an assignment's target, nested ones too."""
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from names_in(element.value)
