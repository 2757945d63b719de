"""Loops over threads that do nothing go; those in which only the threads of x = 0 do something walk no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transpile.ir import kir
from transpile.ir.kir_walk import changes_memory, map_stmt


def narrow_loops(block: Sequence[kir.Stmt]) -> tuple[kir.Stmt, ...]:
    made: list[kir.Stmt] = []
    for stmt in block:
        if not isinstance(stmt, kir.ThreadLoop):
            made.append(map_stmt(stmt, lambda expr: expr, narrow_loops))
        elif all(isinstance(inner, kir.Comment) or is_guard(inner) for inner in stmt.body):
            made.extend(inner for inner in stmt.body if isinstance(inner, kir.Comment))
        else:
            made.append(_narrowed(stmt))
    return tuple(made)


def is_guard(stmt: kir.Stmt) -> bool:
    """Does `stmt` only pass threads over?"""
    return isinstance(stmt, kir.If) and stmt.then == (kir.Continue(),) and not stmt.orelse


def _narrowed(loop: kir.ThreadLoop) -> kir.ThreadLoop:
    *before, last = loop.body
    if loop.group is not None or loop.first or not isinstance(last, kir.If) or last.orelse:
        return loop
    ids: set[str] = set()  # variables that are x
    for stmt in before:
        if isinstance(stmt, kir.Assign) and isinstance(stmt.target, kir.Var) and not changes_memory(stmt):
            if stmt.value == kir.Place("thread_id", 0):
                ids.add(stmt.target.name)
        elif not (isinstance(stmt, kir.Comment) or is_guard(stmt)):
            return loop
    return replace(loop, body=(*before, *last.then), x=0) if _is_zero(last.cond, ids) else loop


def _is_zero(cond: kir.Expr, ids: set[str]) -> bool:
    """Does `cond` say that the thread's x is 0?"""
    if not isinstance(cond, kir.Apply) or cond.op != "eq":
        return False
    left, right = cond.operands
    if isinstance(left, kir.Lit):
        left, right = right, left
    is_x = left == kir.Place("thread_id", 0) or (isinstance(left, kir.Var) and left.name in ids)
    return is_x and isinstance(right, kir.Lit) and right.value == 0
