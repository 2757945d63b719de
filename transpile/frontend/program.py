"""A program from its definitions: converts what is reached, refuses recursion, puts callees before callers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from transpile.diagnostics import names
from transpile.diagnostics.core import Sink
from transpile.frontend.bindings import Definition
from transpile.frontend.functions import Converted, ParseLines, convert
from transpile.ir import hir


def collect(roots: Iterable[Definition], sink: Sink, parse_lines: ParseLines) -> tuple[hir.Function, ...]:
    """The functions of `roots` and all that they reach, callees first. Calls of one whose signature is at fault, which
    was reported, become `Poison`."""
    converted: dict[str, Converted | None] = {}
    waiting = list(roots)
    order = [definition.key for definition in waiting]
    while waiting:
        definition = waiting.pop(0)
        if definition.key in converted:
            continue
        done = convert(definition, sink, parse_lines)
        converted[definition.key] = done
        if done is not None:
            waiting.extend(reached for reached, _ in done.reached.values())
    known = {key: done for key, done in converted.items() if done is not None and done.is_checkable}
    lost = frozenset(key for key in converted if key not in known or not known[key].is_callable)
    functions = (known[key].function for key in _callees_first(order, known, sink))
    return tuple(_without(function, lost) if lost else function for function in functions)


def _callees_first(order: list[str], known: dict[str, Converted], sink: Sink) -> list[str]:
    """Keys in an order where calls go backwards; a call that closes a circle is reported."""
    done: list[str] = []
    finished: set[str] = set()
    for root in order:
        path: list[str] = []
        waiting = [(root, True)]
        while waiting:
            key, enters = waiting.pop()
            if not enters:
                path.pop()
                finished.add(key)
                done.append(key)
                continue
            if key in finished or key not in known:
                continue
            path.append(key)
            waiting.append((key, False))
            for callee, (definition, span) in reversed(known[key].reached.items()):
                if callee in path:
                    circle = (*path[path.index(callee) :], callee)
                    sink.report(names.recursion(span, definition.name, circle))
                elif callee not in finished:
                    waiting.append((callee, True))
    return done


def _without(function: hir.Function, lost: frozenset[str]) -> hir.Function:
    """`function` with `Poison` for what names a lost function."""
    return replace(function, body=_rewritten(function.body, lost))


def _rewritten(node: Any, lost: frozenset[str]) -> Any:
    match node:
        case tuple():
            return tuple(_rewritten(item, lost) for item in node)
        case hir.FunctionName(key=key, span=span) if key in lost:
            return hir.Poison(span)
        case hir.Call(callee=hir.FunctionCallee(key=key), span=span) if key in lost:
            return hir.Poison(span)
    if not is_dataclass(node) or not type(node).__module__.endswith(".hir"):
        return node
    changes = {}
    for each in fields(node):
        old = getattr(node, each.name)
        new = _rewritten(old, lost)
        if new is not old and new != old:
            changes[each.name] = new
    return replace(node, **changes) if changes else node  # type: ignore[type-var]
