"""What a set of programs reaches: rows of the tables, nodes of the IRs, kinds of statement, combinations of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from tests.fuzz.program import Program, module_instances, module_text
from tests.support.everywhere import Text
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.ir import kir, tir
from transpile.typing.types import Tile


def nodes(root: object) -> Iterator[object]:
    """Every dataclass instance below `root`, itself included; spans, which mean nothing, left out."""
    pending = [root]
    while pending:
        one = pending.pop()
        if isinstance(one, tuple):
            pending.extend(one)
        elif is_dataclass(one) and not isinstance(one, type):
            yield one
            pending.extend(getattr(one, field.name) for field in fields(one) if not field.name.endswith("span"))


def reached(programs: Iterable[Program], *, lowered: bool = True) -> set[str]:
    """Names of what the programs reach: `op:add`, `fold:sum`, `tir:For`, `statement:While`, … and, where they are to be
    lowered, `kir:LaneLoop`, …"""
    found: set[str] = set()
    chosen = list(programs)
    text = Text(module_text(chosen), "fuzz", module_instances(chosen))
    found |= {f"statement:{type(node).__name__}" for node in ast.walk(ast.parse(text.source))}
    for function in text.typed.functions:
        found.add(f"dialect:{function.kind}")
        for node in nodes(function.body):
            found |= _of_tir(function, node)
    for backend in BACKENDS.values() if lowered else ():
        for node in nodes(pipeline.lower(text.typed, backend).functions):
            if type(node).__module__ == kir.__name__:
                found.add(f"kir:{type(node).__name__}")
    return found


def _of_tir(function: tir.Function, node: object) -> set[str]:
    found = {f"tir:{type(node).__name__}"} if type(node).__module__ == tir.__name__ else set()
    if isinstance(node, tir.Apply):
        found |= {f"op:{node.op}", f"op:{node.op} on {'tiles' if isinstance(node.result.type, Tile) else 'scalars'}"}
    if isinstance(node, tir.Reduce):
        found.add(f"fold:{node.op}")
    if isinstance(node, tir.For | tir.While) and any(isinstance(value.type, Tile) for value in node.carried):
        found.add("loop that carries tiles")
    if isinstance(node, tir.Call):
        found.add(f"device call from {function.kind}")
    if isinstance(node, tir.Shuffle):
        found.add(f"shuffle:{node.kind}")
    if isinstance(node, tir.Barrier):
        found.add(f"barrier:{node.scope}")
    if isinstance(node, tir.Block):
        folds = [op for op in node.ops if isinstance(op, tir.Reduce)]
        if len(folds) > 1:
            found.add("two folds in a row")
    return found
