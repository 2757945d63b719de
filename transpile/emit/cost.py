"""About how much work one program or thread is on the CPU: whether a launch is worth waking threads for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from transpile.ir import kir
from transpile.ir.kir_walk import blocks_of, nodes, read_by
from transpile.ops.table import OPERATIONS
from transpile.typing.types import largest

UNKNOWN_TURNS: Final = 16
MOST: Final = 1 << 30
_SLOW: Final = frozenset({"truediv", "floordiv", "mod", "sqrt"})
_SLOW_COST: Final = 8
_FUNCTION_COST: Final = 16


def cost_of(function: kir.Function) -> int:
    """The operations of one program (of a tile kernel) or one thread, within a factor of ten or so."""
    return min(MOST, max(1, _block(function.body)))


def _block(body: Sequence[kir.Stmt]) -> int:
    return sum(_stmt(stmt) for stmt in body)


def _stmt(stmt: kir.Stmt) -> int:
    own = sum(_expr(node) for expr in read_by(stmt) for node in nodes(expr)) + isinstance(stmt, kir.Assign)
    inner = max((_block(block) for block in blocks_of(stmt)), default=0)
    match stmt:
        case kir.LaneLoop():
            return own + inner * largest(stmt.count)
        case kir.For():
            return own + inner * _turns(stmt)
        case kir.While():
            return own + inner * UNKNOWN_TURNS
        case _:
            return own + inner


def _expr(expr: kir.Expr) -> int:
    match expr:
        case kir.Apply():
            row = OPERATIONS[expr.op]
            return _FUNCTION_COST if row.in_runtime else _SLOW_COST if expr.op in _SLOW else 1
        case kir.Atomic():
            return _SLOW_COST
        case kir.Fold():
            return largest(expr.lanes)
        case kir.Scan():
            return 5 * largest(expr.lanes)
        case kir.Element() | kir.Slot() | kir.Cast():
            return 1
        case kir.Call():
            return UNKNOWN_TURNS
        case _:
            return 0


def _turns(stmt: kir.For) -> int:
    bounds = [bound.value if isinstance(bound, kir.Lit) else None for bound in (stmt.start, stmt.stop, stmt.step)]
    if None in bounds:
        return UNKNOWN_TURNS
    start, stop, step = (int(bound or 0) for bound in bounds)
    return len(range(start, stop, step or 1))
