"""Which names are local to a function: its parameters and every name that its body binds anywhere, as in Python."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from transpile.frontend.parse import Tree
from transpile.source import Span


def local_names(tree: Tree, function: cst.FunctionDef) -> dict[str, Span]:
    """Each local with the place that binds it first, in source order."""
    found: dict[str, Span] = {}
    foreign: set[str] = set()
    for parameter in _parameters(function):
        found.setdefault(parameter.name.value, tree.span(parameter.name))
    waiting: list[cst.CSTNode] = [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.Global | cst.Nonlocal):
            foreign.update(item.name.value for item in node.names)
        for name in _bound(node):
            found.setdefault(name.value, tree.span(name))
        if not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            waiting.extend(reversed(node.children))
    return {name: span for name, span in found.items() if name not in foreign}


def names_bound(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that `node` binds in the function around it, anywhere inside."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield from _bound(one)
        if not isinstance(one, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            waiting.extend(reversed(one.children))


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
