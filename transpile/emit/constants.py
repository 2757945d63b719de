"""Which values a C++ compiler may come to know: a division by a power of two that it knows becomes a product, and may
then be fused with a sum. What comes from memory, from a launch or from other threads stays unknown."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from transpile.dtypes import F64, DType
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts
from transpile.ops.table import OPERATIONS

_MEMORY: Final = "*"


class Constants:
    """Answers for one function. A name counts as known if any value that it is given is."""

    def __init__(self, function: kir.Function) -> None:
        self._values: dict[str, list[kir.Expr]] = defaultdict(list)
        self._counters: set[str] = {size.name for size in function.sizes}
        self._parameters = {each.var.name for each in function.parameters} if function.kind == "device" else set()
        for stmt in all_stmts(function.body):
            self._note(stmt)
        self._asked: set[tuple[str, bool]] = set()

    def _note(self, stmt: kir.Stmt) -> None:
        match stmt:
            case kir.Declare(value=kir.Groups() as value) | kir.Assign(value=kir.Groups() as value):
                self._values[_MEMORY] += [] if value.other is None else [value.other]
            case kir.Declare() if stmt.value is not None:
                self._values[stmt.var.name].append(stmt.value)
            case kir.Assign(target=kir.Var() as target):
                self._values[target.name].append(stmt.value)
            case kir.Assign():
                self._values[_MEMORY].append(stmt.value)
            case kir.LaneLoop():
                self._counters.add(stmt.var.name)
            case kir.For():
                self._values[stmt.var.name].append(stmt.start)
                if isinstance(stmt.start, kir.Lit):
                    self._counters.add(stmt.var.name)
            case _:
                pass

    def may_be_power(self, expr: kir.Expr) -> bool:
        """True where the compiler may see a power of two here."""
        match expr:
            case kir.Lit():
                return expr.dtype.kind != "bool" and reciprocal(expr.value, expr.dtype) is not None
            case kir.Var() | kir.Element() | kir.Slot():
                return self._of_name(expr, is_power=True)
            case kir.Cast():
                return self.may_be_power(expr.operand)
            case kir.Pack():
                return any(self.may_be_power(operand) for operand in expr.operands)
            case kir.Apply() if OPERATIONS[expr.op].is_choice:
                return any(self.may_be_power(operand) for operand in expr.operands)
            case kir.Apply():
                return all(self._may_be_known(operand) for operand in expr.operands)
            case _:
                return isinstance(expr, kir.Call)

    def _may_be_known(self, expr: kir.Expr) -> bool:
        match expr:
            case kir.Lit() | kir.Call():
                return True
            case kir.Var() | kir.Element() | kir.Slot():
                return self._of_name(expr, is_power=False)
            case kir.Cast():
                return self._may_be_known(expr.operand)
            case kir.Apply():
                some = any if OPERATIONS[expr.op].is_choice else all
                return some(self._may_be_known(operand) for operand in expr.operands)
            case _:
                return False

    def _of_name(self, expr: kir.Var | kir.Element | kir.Slot, *, is_power: bool) -> bool:
        name = expr.name if isinstance(expr, kir.Var) else _MEMORY
        if name in self._counters or name in self._parameters:
            return True
        if (name, is_power) in self._asked:  # a value that is made of itself: what else it is made of decides
            return False
        self._asked.add((name, is_power))
        ask = self.may_be_power if is_power else self._may_be_known
        found = any(ask(value) for value in self._values[name])
        self._asked.discard((name, is_power))
        return found


def reciprocal(divisor: float, dtype: DType) -> float | None:
    """The number that a division by `divisor` is a product with, if there is one."""
    row = dtype.computing if dtype.is_float else F64
    lowest, highest = row.smallest_normal, 2.0**row.bias
    if not math.isfinite(divisor) or abs(math.frexp(divisor)[0]) != 0.5 or abs(divisor) < lowest:
        return None
    inverse = 1.0 / divisor
    return inverse if lowest <= abs(inverse) <= highest else None


def constants_of(functions: Sequence[kir.Function]) -> dict[str, Constants]:
    """For each function, by its C++ name."""
    return {function.name: Constants(function) for function in functions}
