"""What is known while one function's body is converted: its tree, its names, and what it was found to reach."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import libcst as cst

from transpile.diagnostics import names, syntax
from transpile.diagnostics.core import Diagnostic, Sink
from transpile.frontend.bindings import (
    Binding,
    Definition,
    HostFunction,
    HostValue,
    LanguageName,
    Missing,
    ModuleName,
    Namespace,
    TypeName,
    is_allocation,
    member,
    near_names,
)
from transpile.frontend.parse import Tree
from transpile.frontend.scope import names_bound
from transpile.frontend.unsupported import Row
from transpile.frontend.vocabulary import instead_of
from transpile.ir import hir
from transpile.source import Span

CONSTANT: Final = "a constant"


@dataclass(slots=True, kw_only=True)
class Body:
    """`where` is the kind of function, with its article. `locals` gives each local the place that first assigns it;
    `assigned` grows in source order, and so does `poisoned`: names bound by what was refused. `has_refused_result`:
    that the function returns a value was reported. `captured` and `reached` are results."""

    tree: Tree
    namespace: Namespace
    sink: Sink
    where: str
    locals: dict[str, Span] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    poisoned: set[str] = field(default_factory=set)
    has_refused_result: bool = False
    captured: dict[str, bool | int | float] = field(default_factory=dict)
    reached: dict[str, tuple[Definition, Span]] = field(default_factory=dict)

    def span(self, node: cst.CSTNode) -> Span:
        return self.tree.span(node)

    def report(self, diagnostic: Diagnostic) -> None:
        self.sink.report(diagnostic)

    def refuse(self, node: cst.CSTNode, row: Row, instead: str = "") -> hir.Poison:
        """Reports a construct that the language does not have; the names that it binds may be anything from here on.
        `instead` says better than the row what to write here."""
        span = self._with_parentheses(node)
        self.poisoned.update(name.value for name in names_bound(node))
        self.report(syntax.unsupported_syntax(span, row.what, self.where, instead or row.instead))
        return hir.Poison(span)

    def _with_parentheses(self, node: cst.CSTNode) -> Span:
        """libcst leaves the parentheses out, which make a tuple and a generator what they are."""
        if isinstance(node, cst.Tuple | cst.GeneratorExp) and node.lpar:
            return self.tree.between(node.lpar[0], node.rpar[-1])
        return self.span(node)


@dataclass(frozen=True, slots=True)
class Path:
    """A dotted name as written, and what it means: None where its first part is a local."""

    parts: tuple[str, ...]
    binding: Binding | None

    @property
    def written(self) -> str:
        return ".".join(self.parts)


def path_of(body: Body, node: cst.BaseExpression) -> Path | None:
    """The meaning of `a.b.c`, or None where `node` is no dotted name."""
    parts = dotted(node)
    return Path(parts, resolve(body.namespace, parts, body.locals)) if parts else None


def dotted(node: cst.BaseExpression) -> tuple[str, ...]:
    """The parts of `a.b.c`; none where it is anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return (node.value, *reversed(parts)) if isinstance(node, cst.Name) else ()


def resolve(namespace: Namespace, parts: tuple[str, ...], local: dict[str, Span]) -> Binding | None:
    """What a dotted name means; None for a local (with or without attributes)."""
    if parts[0] in local:
        return None
    binding = namespace.lookup(parts[0])
    for place, name in enumerate(parts[1:], start=1):
        if not isinstance(binding, ModuleName):
            if isinstance(binding, Missing) or is_allocation(binding):
                return binding
            is_module = isinstance(binding, HostValue) and binding.what == "a module"
            return HostValue("a module" if is_module else "an attribute")
        binding = member(binding, name)
        if isinstance(binding, Missing):
            return replace(binding, place=place)
    return binding


def hidden(body: Body, path: Path) -> str:
    """What to do about a local that has the name of something outside of the function that was meant; empty where
    there is no such thing."""
    name = path.parts[0]
    match body.namespace.lookup(name) if path.binding is None else None:
        case ModuleName():
            what = "module"
        case LanguageName() | TypeName():
            what = "builtin"
        case Definition() | HostFunction():
            what = "function"
        case _:
            return ""
    return f"'{name}' is a local of this function, which hides the {what} of that name: give it a name of its own"


def undefined(path: Path, missing: Missing, span: Span, known: Iterable[str] = ()) -> Diagnostic:
    """What is said of a dotted name, a part of which does not exist; `known` are the function's own names."""
    name = path.parts[missing.place]
    if missing.place == 0:
        instead = instead_of(name)
        near = near_names(name, known) if instead else missing.near or near_names(name, known)
        return names.undefined_name(span, name, near, instead)
    return names.undefined_member(span, ".".join(path.parts[: missing.place]), name, missing.near, missing.instead)
