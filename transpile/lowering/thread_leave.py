"""`return` inside a loop over threads or groups: it goes on with the next one. Out of inner loops by a flag, without
goto."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transpile import dtypes
from transpile.ir import kir
from transpile.ir.kir_walk import blocks_of, map_stmt
from transpile.lowering.thread_levels import jumps_of

_TRUE = kir.Lit(True, dtypes.BOOL)
_FALSE = kir.Lit(False, dtypes.BOOL)


def leave_with(body: Sequence[kir.Stmt], flag: Callable[[], kir.Var]) -> list[kir.Stmt]:
    """`body` of a loop over threads with `return` written as `continue`; `flag` makes a variable where one is
    needed."""
    if not any(kir.Return in jumps_of(stmt) for stmt in body):
        return list(body)
    left = flag() if any(_leaves_loop(stmt) for stmt in body) else None
    made = [stmt for part in body for stmt in _outside(part, left)]
    if made and made[-1] == kir.Continue():
        made.pop()
    return made if left is None else [kir.Assign(left, _FALSE), *made]


def remember(stmt: kir.Stmt, gone: kir.Var) -> tuple[kir.Stmt, ...]:
    """`stmt`, which sets `gone` wherever it returns."""
    if isinstance(stmt, kir.Return):
        return (kir.Assign(gone, _TRUE), stmt)
    inner = (lambda block: tuple(made for each in block for made in remember(each, gone))) if blocks_of(stmt) else None
    return (map_stmt(stmt, lambda expr: expr, inner),)


def _leaves_loop(stmt: kir.Stmt) -> bool:
    """Does a `return` stand in a loop inside `stmt`?"""
    if isinstance(stmt, kir.For | kir.While):
        return kir.Return in jumps_of(stmt)
    return any(_leaves_loop(inner) for block in blocks_of(stmt) for inner in block)


def _outside(stmt: kir.Stmt, left: kir.Var | None) -> tuple[kir.Stmt, ...]:
    """Of the body itself: `return` is `continue`."""
    match stmt:
        case kir.Return():
            return (kir.Continue(),)
        case kir.For() | kir.While() if left is not None and kir.Return in jumps_of(stmt):
            return (_loop(stmt, left), kir.If(left, (kir.Continue(),)))
        case kir.For() | kir.While() | kir.ThreadLoop():
            return (stmt,)
        case _:
            return (map_stmt(stmt, lambda expr: expr, lambda block: _each(block, left, _outside)),)


def _loop(stmt: kir.Stmt, left: kir.Var) -> kir.Stmt:
    return map_stmt(stmt, lambda expr: expr, lambda block: _each(block, left, _inside))


def _inside(stmt: kir.Stmt, left: kir.Var | None) -> tuple[kir.Stmt, ...]:
    """Of a loop in the body: `return` sets the flag and breaks, and each loop around breaks as well."""
    assert left is not None
    match stmt:
        case kir.Return():
            return (kir.Assign(left, _TRUE), kir.Break())
        case kir.For() | kir.While() if kir.Return in jumps_of(stmt):
            return (_loop(stmt, left), kir.If(left, (kir.Break(),)))
        case kir.For() | kir.While() | kir.ThreadLoop():
            return (stmt,)
        case _:
            return (map_stmt(stmt, lambda expr: expr, lambda block: _each(block, left, _inside)),)


def _each(
    block: tuple[kir.Stmt, ...],
    left: kir.Var | None,
    change: Callable[[kir.Stmt, kir.Var | None], tuple[kir.Stmt, ...]],
) -> tuple[kir.Stmt, ...]:
    return tuple(made for stmt in block for made in change(stmt, left))
