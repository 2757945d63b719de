"""Puts declarations into KIR: every variable begins in the narrowest block that covers its uses, where it is first
named.

Before this, variables are only assigned. A variable that is assigned once, where it begins, is constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, assigned_by, blocks_of, map_stmt, named_by, names_in


def declare_variables(
    body: Sequence[kir.Stmt],
    variables: Mapping[str, kir.Var],
    slots: Mapping[str, kir.DeclareSlots] | None = None,
) -> tuple[kir.Stmt, ...]:
    """`body` with each of `variables` and `slots` that it names declared; the others are already (parameters, counters,
    arrays)."""
    placer = _Placer(variables, slots or {}, body)
    return placer.place(tuple(body), set(placer.mentions(tuple(body))))


class _Placer:
    def __init__(
        self, variables: Mapping[str, kir.Var], slots: Mapping[str, kir.DeclareSlots], body: Sequence[kir.Stmt]
    ) -> None:
        self.variables = variables
        self.slots = slots
        assigned = (assigned_by(stmt) for stmt in all_stmts(body))
        self.assignments = Counter(var.name for var in assigned if var is not None)
        self._own: dict[int, frozenset[str]] = {}
        self._all: dict[int, frozenset[str]] = {}
        self._alive: list[kir.Stmt] = list(all_stmts(body))  # so that id() stays theirs

    def _named_by(self, stmt: kir.Stmt) -> frozenset[str]:
        """The variables that `stmt` itself names, not its blocks."""
        known = self._own.get(id(stmt))
        if known is None:
            known = self._own[id(stmt)] = frozenset(named_by(stmt) & (self.variables.keys() | self.slots.keys()))
        return known

    def _named_in(self, stmt: kir.Stmt) -> frozenset[str]:
        known = self._all.get(id(stmt))
        if known is None:
            inner = (self.mentions(block) for block in blocks_of(stmt))
            known = self._all[id(stmt)] = self._named_by(stmt).union(*inner)
        return known

    def mentions(self, block: tuple[kir.Stmt, ...]) -> frozenset[str]:
        return frozenset().union(*(self._named_in(stmt) for stmt in block))

    def place(self, block: tuple[kir.Stmt, ...], pending: set[str]) -> tuple[kir.Stmt, ...]:
        """Declares `pending` here or further in. They are named in this block and nowhere else."""
        places: dict[str, list[int]] = {}
        for index, stmt in enumerate(block):
            for name in self._named_in(stmt) & pending:
                places.setdefault(name, []).append(index)
        first: dict[int, list[str]] = {}
        deeper: dict[int, set[str]] = {}
        for name, indices in places.items():
            if len(indices) == 1 and self._goes_deeper(block[indices[0]], name):
                deeper.setdefault(indices[0], set()).add(name)
            else:
                first.setdefault(indices[0], []).append(name)
        placed: list[kir.Stmt] = []
        for index, stmt in enumerate(block):
            names = sorted(first.get(index, ()), key=_number)
            own, before = self._declare(stmt, names)
            placed.extend(before)
            if index in deeper:
                own = self._descend(own, deeper[index])
            placed.append(own)
        return tuple(placed)

    def _goes_deeper(self, stmt: kir.Stmt, name: str) -> bool:
        """Is `name` named in one block of `stmt` alone?"""
        holders = sum(name in self.mentions(block) for block in blocks_of(stmt))
        return name not in self._named_by(stmt) and holders == 1

    def _descend(self, stmt: kir.Stmt, names: set[str]) -> kir.Stmt:
        def inner(block: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
            mine = names & self.mentions(block)
            return self.place(block, mine) if mine else block

        return map_stmt(stmt, lambda expr: expr, inner)

    def _declare(self, stmt: kir.Stmt, names: list[str]) -> tuple[kir.Stmt, list[kir.Stmt]]:
        """`stmt`, as a declaration if it can be one, and the declarations before it."""
        before: list[kir.Stmt] = []
        for name in names:
            if name in self.slots:
                before.append(self.slots[name])
                continue
            var = self.variables[name]
            mutable = self.assignments[name] > 1
            match stmt:
                case kir.Assign() if stmt.target == var and name not in names_in(stmt.value):
                    stmt = kir.Declare(var, stmt.value, mutable)
                case kir.Checked() if stmt.var == var and not any(name in names_in(expr) for expr in stmt.operands):
                    stmt = replace(stmt, declares=True)
                case _:
                    before.append(kir.Declare(var, None, mutable=True))
        return stmt, before


def _number(name: str) -> tuple[int, str]:
    digits = name.lstrip("%")
    return (int(digits), name) if digits.isdigit() else (0, name)
