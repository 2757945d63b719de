"""Which names are local to a function: its parameters and every name that its body binds anywhere, as in Python."""

from __future__ import annotations

import libcst as cst

from transpile.frontend.parse import Tree
from transpile.source import Span


def local_names(tree: Tree, function: cst.FunctionDef) -> dict[str, Span]:
    """Each local with the place that binds it first, in source order."""
    finder = _Finder(tree)
    parameters = function.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        finder.bind(parameter.name)
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            finder.bind(star.name)
    function.body.visit(finder)
    return {name: span for name, span in finder.found.items() if name not in finder.foreign}


class _Finder(cst.CSTVisitor):
    """Collects what is bound; looks into no nested function or class."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self.found: dict[str, Span] = {}
        self.foreign: set[str] = set()

    def bind(self, node: cst.CSTNode | None) -> None:
        if isinstance(node, cst.Name):
            self.found.setdefault(node.value, self.tree.span(node))
        elif isinstance(node, cst.Tuple | cst.List):
            for element in node.elements:
                self.bind(element.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self.bind(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.bind(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.bind(node.target)

    def visit_For(self, node: cst.For) -> None:
        self.bind(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self.bind(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self.bind(node.name)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> None:
        first: cst.BaseExpression = node.name
        while isinstance(first, cst.Attribute):
            first = first.value
        if node.asname is None:
            self.bind(first)

    def visit_Del(self, node: cst.Del) -> None:
        self.bind(node.target)

    def visit_Global(self, node: cst.Global) -> None:
        self.foreign.update(item.name.value for item in node.names)

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self.foreign.update(item.name.value for item in node.names)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.bind(node.name)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self.bind(node.name)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_MatchAs(self, node: cst.MatchAs) -> None:
        self.bind(node.name)

    def visit_MatchStar(self, node: cst.MatchStar) -> None:
        self.bind(node.name)
