"""Generic functions: the type variables that a tree of HIR mentions, and the tree with element types in their place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from transpile.dtypes import DType
from transpile.ir import hir

_Tree = TypeVar("_Tree")


def variables_in(tree: object) -> Iterator[hir.TypeVariable]:
    """The type variables of a node or of a tuple of nodes, wherever they stand."""
    if isinstance(tree, hir.TypeVariable):
        yield tree
    elif isinstance(tree, tuple):
        for part in tree:
            yield from variables_in(part)
    elif is_dataclass(tree) and not isinstance(tree, DType):
        for name in _compared(tree):
            yield from variables_in(getattr(tree, name))


def pointed_to(parameters: Sequence[hir.Parameter]) -> tuple[hir.TypeVariable, ...]:
    """The variables that pointer parameters have for their elements, each once, in order: by these a launch chooses."""
    found = (each.annotation.dtype for each in parameters if isinstance(each.annotation, hir.PointerAnnotation))
    return tuple(dict.fromkeys(dtype for dtype in found if isinstance(dtype, hir.TypeVariable)))


def every_choice(function: hir.Function) -> tuple[tuple[DType, ...], ...]:
    """One element type for each variable, in all ways: one empty tuple where there are no variables."""
    return tuple(itertools.product(*(variable.choices for variable in function.variables)))


def instantiate(function: hir.Function, types: Sequence[DType]) -> hir.Function:
    """The function with `types` in the place of its variables; itself where it has none."""
    if not function.variables:
        return function
    chosen = dict(zip(function.variables, types, strict=True))
    return replace(
        function,
        parameters=_replaced(function.parameters, chosen),
        body=_replaced(function.body, chosen),
        variables=(),
    )


def _replaced(tree: _Tree, chosen: Mapping[hir.TypeVariable, DType]) -> _Tree:
    found: Any = tree
    if isinstance(tree, hir.TypeVariable):
        found = chosen[tree]
    elif isinstance(tree, tuple):
        found = tuple(_replaced(part, chosen) for part in tree)
    elif is_dataclass(tree) and not isinstance(tree, type | DType):
        parts = {name: getattr(tree, name) for name in _compared(tree)}
        changed = {name: _replaced(part, chosen) for name, part in parts.items()}
        if any(changed[name] is not part for name, part in parts.items()):
            found = replace(tree, **changed)
    return found  # type: ignore[no-any-return]


def _compared(tree: object) -> list[str]:
    """The fields that are not places in the source."""
    return [each.name for each in fields(tree) if each.compare]  # type: ignore[arg-type]
