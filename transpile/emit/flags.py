"""Which integers of a function may be a bool in disguise: 0 or 1 by a comparison, give or take a constant.

g++ 12 reads and writes wrong addresses where a loop that it vectorises takes an index from one (it takes the mask of
the comparison, all ones, for the number 1), so the C++ text hides where such an index comes from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from transpile.dtypes import BOOL
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, children, dtype_of

# A quotient of equal numbers is 0 or 1 by whether they are 0, and g++ knows it.
_QUOTIENTS: Final = frozenset({"floordiv", "mod"})


class Flags:
    """Answers whether an integer of one function may be a flag."""

    def __init__(self, body: Iterable[kir.Stmt]) -> None:
        self._names: set[str] = set()
        written = [pair for pair in map(_written, all_stmts(tuple(body))) if pair is not None]
        constants = Counter(name for name, value in written if isinstance(value, kir.Lit))
        self._names.update(name for name, count in constants.items() if count > 1)  # one or the other, by a branch
        before = -1
        while before < len(self._names):
            before = len(self._names)
            self._names.update(name for name, value in written if self.has(value))

    def has(self, expr: kir.Expr) -> bool:
        """True where `expr` is an integer with a flag in it."""
        match expr:
            case kir.Cast():
                return dtype_of(expr.operand) is BOOL or self.has(expr.operand)
            case kir.Var() | kir.Slot():
                return (expr.name if isinstance(expr, kir.Var) else expr.var.name) in self._names
            case kir.Call():
                return True  # the callee may be inlined
            case kir.Apply(op="where"):
                return any(isinstance(each, kir.Lit) or self.has(each) for each in expr.operands[1:])
            case kir.Apply(op=op, operands=operands):
                same = op in _QUOTIENTS and operands[0] == operands[1]
                return same or any(self.has(each) for each in operands)
            case kir.Element():
                return False  # from memory, or from a vec: as good as memory
            case _:
                return any(self.has(child) for child in children(expr))


def _written(stmt: kir.Stmt) -> tuple[str, kir.Expr] | None:
    """The variable that the statement gives an integer, and the integer."""
    if isinstance(stmt, kir.Declare) and stmt.value is not None:
        name, value = stmt.var.name, stmt.value
    elif isinstance(stmt, kir.Assign) and isinstance(stmt.target, kir.Var | kir.Slot):
        name = stmt.target.name if isinstance(stmt.target, kir.Var) else stmt.target.var.name
        value = stmt.value
    else:
        return None
    return (name, value) if dtype_of(value).is_integer else None
