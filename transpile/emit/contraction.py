"""Which float products meet a sum: a compiler that fuses the two would round once where the language rounds twice.

nvcc fuses by default and has no pragma against it, so the products that may be fused are spelled with a rounding of
their own. A value is followed from where it is made through variables, vecs, memory, device functions and operations
that pass it on unrounded. The same holds for a quotient by a power of two, which nvcc turns into a product.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from transpile.emit.constants import constants_of
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, children, dtype_of, read_by
from transpile.ops.operation import Way
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS
from transpile.typing.types import Pointer, Vec

SUM: Final = "a sum"


def ways(expr: kir.Expr) -> tuple[Way, ...]:
    """For each child of `expr`, where its value goes."""
    match expr:
        case kir.Apply(op=op):
            row = OPERATIONS[op]
            if not dtype_of(expr.operands[-1]).is_float:
                return tuple("ends" for _ in expr.operands)
            return row.ways or tuple("sum" for _ in expr.operands)
        case kir.Pack():
            return tuple("on" for _ in expr.operands)
        case kir.Groups():
            return tuple("on" if child is expr.other else "ends" for child in children(expr))
        case kir.Fold() | kir.Scan() | kir.Shared():
            first: Way = "on"
            if not isinstance(expr, kir.Shared):
                joined = REDUCTIONS[expr.op] if isinstance(expr, kir.Fold) else SCANS[expr.op]
                first = (OPERATIONS[joined.combine].ways or ("sum",))[0]
            rest: tuple[Way, ...] = tuple("ends" for _ in children(expr)[1:])
            return (first, *rest)
        case _:
            return tuple("ends" for _ in children(expr))


class Products:
    """Answers, for one module, whether the value of a place (a variable, a result, a memory) may reach a sum."""

    def __init__(self, functions: Iterable[kir.Function]) -> None:
        self._goes: dict[str, set[str]] = defaultdict(set)
        self._functions = {function.name: function for function in functions}
        for function in self._functions.values():
            _Follow(function, self._functions, self._goes).run()
        self._constants = constants_of(tuple(self._functions.values()))
        self._meets = _reaching(self._goes, SUM)

    def meets_sum(self, function: str, target: kir.Expr | str | None) -> bool:
        """`target` is what is assigned, a parameter's name, or None for the function's result."""
        return place(self._functions[function], target) in self._meets

    def parameter(self, function: str, position: int) -> str:
        """The name of a device function's parameter."""
        return self._functions[function].parameters[position].var.name

    def may_become_product(self, function: str, divisor: kir.Expr) -> bool:
        """True where the compiler may make a product of a division by `divisor`."""
        return self._constants[function].may_be_power(divisor)


def place(function: kir.Function, target: kir.Expr | str | None) -> str:
    """The name of where a value stays: a variable or vec of the function, its result, or memory."""
    match target:
        case None:
            return f"{function.name}()"
        case str():
            return f"{function.name}.{target}"
        case kir.Var():
            return f"{function.name}.{target.name}"
        case kir.Element(base=kir.Var(type=Vec()) as base):
            return f"{function.name}.{base.name}"
        case kir.Element() | kir.Groups():
            root = _root(target.base)
            apart = {each.var.name for each in function.parameters if each.restrict}
            return f"{function.name}.*{root if root in apart else target.dtype.name}"
        case _:
            return f"{function.name}.?"


def _root(base: kir.Expr) -> str | None:
    while isinstance(base, kir.PointerAdd):
        base = base.base
    return base.name if isinstance(base, kir.Var) and isinstance(base.type, Pointer) else None


def _is_const(var: kir.Var) -> bool:
    return isinstance(var.type, Pointer) and var.type.const


def _reaching(goes: Mapping[str, set[str]], end: str) -> frozenset[str]:
    """Every place from which `end` can be reached."""
    before: dict[str, set[str]] = defaultdict(set)
    for start, ends in goes.items():
        for each in ends:
            before[each].add(start)
    found, queue = {end}, [end]
    while queue:
        for each in before[queue.pop()] - found:
            found.add(each)
            queue.append(each)
    return frozenset(found)


class _Follow:
    """Notes where each value of one function goes."""

    def __init__(
        self, function: kir.Function, functions: Mapping[str, kir.Function], goes: dict[str, set[str]]
    ) -> None:
        self._function, self._functions, self._goes = function, functions, goes
        self._constant = {each.var.name for each in function.parameters if each.restrict and _is_const(each.var)}
        self._memories: set[str] = set()

    def run(self) -> None:
        for stmt in all_stmts(self._function.body):
            for expr in read_by(stmt):
                is_value = isinstance(stmt, kir.Declare | kir.Assign | kir.Return) and expr is stmt.value
                self._follow(expr, _target(self._function, stmt) if is_value else None)
            if isinstance(stmt, kir.Assign) and isinstance(stmt.target, kir.Element | kir.Groups):
                self._memories.add(place(self._function, stmt.target))
        memories = {each for each in self._memories if ".*" in each}
        for one in memories:  # what is reached by a pointer of unknown origin may be any of them
            self._goes[one] |= memories

    def _follow(self, expr: kir.Expr, end: str | None) -> None:
        if end is not None and isinstance(expr, kir.Var | kir.Element | kir.Groups):
            self._goes[place(self._function, expr)].add(end)
        if isinstance(expr, kir.Element | kir.Groups) and _root(expr.base) not in self._constant:
            self._memories.add(place(self._function, expr))
        if isinstance(expr, kir.Call):
            callee = self._functions[expr.function]
            if end is not None:
                self._goes[place(callee, None)].add(end)
            for parameter, operand in zip(callee.parameters, expr.operands, strict=True):
                self._follow(operand, place(callee, parameter.var.name))
            return
        for child, way in zip(children(expr), ways(expr), strict=True):
            self._follow(child, {"sum": SUM, "on": end, "ends": None}[way])


def _target(function: kir.Function, stmt: kir.Stmt) -> str | None:
    match stmt:
        case kir.Declare():
            return place(function, stmt.var)
        case kir.Assign():
            return place(function, stmt.target)
        case kir.Return():
            return place(function, None)
        case _:
            return None
