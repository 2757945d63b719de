"""HIR as an indented tree, for people: each node by its name and fields, without places in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Final

from transpile.ir import hir

INDENT: Final = "  "
WIDTH: Final = 100
_SKIPPED: Final = ("span", "name_span", "source", "files")


def print_hir(module: hir.Module) -> str:
    """Every function of the module."""
    return "\n\n".join("\n".join(_lines("", function, 0)) for function in module.functions) + "\n"


def _lines(label: str, node: object, depth: int) -> Iterator[str]:
    """The node on one line where it fits, otherwise its parts below it."""
    start = INDENT * depth + (f"{label} " if label else "")
    flat = _flat(node)
    if len(start) + len(flat) <= WIDTH or not _parts(node):
        yield start + flat
        return
    yield start + (type(node).__name__ if is_dataclass(node) else "")
    for name, part in _parts(node):
        yield from _lines(name, part, depth + 1)


def _parts(node: object) -> list[tuple[str, object]]:
    if isinstance(node, tuple):
        return [("-", each) for each in node]
    if is_dataclass(node) and not isinstance(node, type):
        return [(each.name, getattr(node, each.name)) for each in fields(node) if each.name not in _SKIPPED]
    return []


def _flat(node: object) -> str:
    if isinstance(node, tuple):
        return f"[{', '.join(map(_flat, node))}]"
    if is_dataclass(node) and not isinstance(node, type):
        if type(node).__str__ is not object.__str__:
            return str(node)
        return f"{type(node).__name__}({', '.join(f'{name}={_flat(part)}' for name, part in _parts(node))})"
    return repr(node)
