"""Keeps what lives across a split of a thread kernel: one copy a thread, in arrays.

What is assigned outside the loops over threads is one scalar for all. What is cheap to work out from that, from ids and
parameters, is worked out again in each loop. The rest gets a slot a thread: 32 of them where all its uses stand in one
loop over groups.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import kir
from transpile.ir.kir_walk import (
    all_stmts,
    assigned_by,
    blocks_of,
    declared_by,
    map_block,
    map_expr,
    map_stmt,
    named_by,
    names_in,
    nodes,
    read_by,
)
from transpile.lowering.thread_exchange import read_slot
from transpile.lowering.thread_narrow import is_guard, narrow_loops
from transpile.typing.types import Pointer, Scalar, largest

SENT: Final = "%sent"  # variables that hold what a shuffle sends
CHEAP: Final = 10  # nodes of an expression that is worked out again rather than kept
_INDEX: Final = Scalar(dtypes.I64)


@dataclass(frozen=True, slots=True)
class Split:
    """`slots` are the declarations that `declare` must place, beside those of `variables`."""

    body: tuple[kir.Stmt, ...]
    variables: dict[str, kir.Var]
    slots: dict[str, kir.DeclareSlots]


def place_slots(body: tuple[kir.Stmt, ...], variables: dict[str, kir.Var], hints: dict[str, str]) -> Split:
    survey = _Survey(frozenset(variables))
    survey.block(body, None)
    again = _worked_out_again(survey, body, variables)
    body = _Repeater(again, survey, variables, hints).block(body)
    survey = _Survey(frozenset(variables))
    survey.block(body, None)
    body = _without_copies(survey, body)
    survey = _Survey(frozenset(variables))
    survey.block(body, None)
    keeper = _Keeper(survey, variables, hints)
    body = narrow_loops(keeper.block(body))
    return Split(body, {name: var for name, var in variables.items() if name not in keeper.slots}, keeper.slots)


def _without_copies(survey: _Survey, body: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
    """A shuffle reads the slots of the variable itself, where that is kept anyway and assigned but once."""
    sources: dict[str, kir.Var] = {}
    for stmt in all_stmts(body):
        if not isinstance(stmt, kir.Assign) or not isinstance(stmt.value, kir.Var):
            continue
        source = stmt.value
        is_kept = survey.crosses(source.name) and survey.assignments[source.name] == 1
        if is_kept and _name(stmt.target).startswith(SENT):
            sources[_name(stmt.target)] = source

    def change(block: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
        kept = (stmt for stmt in block if not (isinstance(stmt, kir.Assign) and _name(stmt.target) in sources))
        return tuple(map_stmt(stmt, lambda expr: _renamed_one(expr, sources), change) for stmt in kept)

    return change(body) if sources else body


def _name(target: kir.Expr) -> str:
    return target.name if isinstance(target, kir.Var) else ""


@dataclass
class _Survey:
    """Where each name stands: in which loops over threads (by number, in order), in which loops over groups,
    outside."""

    variables: frozenset[str]
    loops: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    groups: defaultdict[str, set[str | None]] = field(default_factory=lambda: defaultdict(set))
    outside: set[str] = field(default_factory=set)
    arrays: dict[str, kir.DeclareArray] = field(default_factory=dict)
    assignments: Counter[str] = field(default_factory=Counter)
    counters: set[str] = field(default_factory=set)  # of loops that stand outside those over threads
    _loops: int = 0

    def block(self, block: Sequence[kir.Stmt], group: kir.Var | None) -> None:
        for stmt in block:
            if isinstance(stmt, kir.ThreadLoop):
                self._loop(stmt, group)
                continue
            for name in named_by(stmt):
                self._mention(name, None, group)
            self._count(stmt)
            self.counters.update(var.name for var in declared_by(stmt))
            inner = stmt.var if isinstance(stmt, kir.GroupLoop) else group
            for body in blocks_of(stmt):
                self.block(body, inner)

    def _loop(self, loop: kir.ThreadLoop, group: kir.Var | None) -> None:
        self._loops += 1
        for stmt in all_stmts(loop.body):
            for name in named_by(stmt):
                self._mention(name, self._loops, group)
            self._count(stmt)
        for stmt in loop.body:
            if isinstance(stmt, kir.DeclareArray):
                self.arrays[stmt.var.name] = stmt
                self._mention(stmt.var.name, self._loops, group)

    def _count(self, stmt: kir.Stmt) -> None:
        if (var := assigned_by(stmt)) is not None:
            self.assignments[var.name] += 1

    def _mention(self, name: str, loop: int | None, group: kir.Var | None) -> None:
        self.groups[name].add(None if group is None else group.name)
        if loop is None:
            self.outside.add(name)
        else:
            self.loops[name].add(loop)

    def crosses(self, name: str) -> bool:
        """Does this name live in more than one loop over threads?"""
        known = name in self.variables or name in self.arrays
        return known and name not in self.outside and len(self.loops[name]) > 1


# ---------------------------------------------------------------- what is worked out again


def _worked_out_again(survey: _Survey, body: Sequence[kir.Stmt], variables: dict[str, kir.Var]) -> dict[str, kir.Expr]:
    """The variables that each loop over threads computes for itself, with what computes them, operands first."""
    found: dict[str, kir.Expr] = {}
    for stmt in _in_loops(body):
        if not isinstance(stmt, kir.Assign) or not isinstance(stmt.target, kir.Var):
            continue
        name = stmt.target.name
        is_sent = name.startswith(SENT)  # others read the slots of that
        if survey.assignments[name] == 1 and name not in survey.outside and name in variables and not is_sent:
            is_pointer = isinstance(stmt.target.type, Pointer)
            if _is_cheap(stmt.value, survey, found, is_pointer):
                found[name] = stmt.value
    return found


def _in_loops(body: Sequence[kir.Stmt]) -> Iterator[kir.Stmt]:
    """The statements of loops over threads that every thread runs."""
    for stmt in all_stmts(body):
        if isinstance(stmt, kir.ThreadLoop) and not stmt.first:
            yield from stmt.body


def _is_cheap(expr: kir.Expr, survey: _Survey, found: dict[str, kir.Expr], is_pointer: bool) -> bool:
    size = 0
    for node in nodes(expr):
        size += 1
        match node:
            case kir.Lit() | kir.Place() | kir.PointerAdd():
                pass
            case kir.Var():
                if node.name in found:
                    size += sum(1 for _ in nodes(found[node.name]))
                elif not _is_fixed(node.name, survey, is_pointer):
                    return False
            case kir.Apply() | kir.Cast():
                if node.dtype.is_float:
                    return False
            case _:
                return False
    return is_pointer or size <= CHEAP


def _is_fixed(name: str, survey: _Survey, is_pointer: bool) -> bool:
    """Does `name` never change: a parameter, a shared array, a scalar assigned once, a counter of a loop outside? The
    index of a pointer may also be kept in slots."""
    if name in survey.arrays:
        return is_pointer
    if name in survey.variables:
        return survey.assignments[name] == 1 and (name in survey.outside or is_pointer)
    return survey.assignments[name] == 0


@dataclass
class _Repeater:
    """Puts into each loop over threads what it needs to work out again."""

    again: dict[str, kir.Expr]
    survey: _Survey
    variables: dict[str, kir.Var]
    hints: dict[str, str]
    _copies: int = 0

    def block(self, block: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
        made: list[kir.Stmt] = []
        for stmt in block:
            if isinstance(stmt, kir.ThreadLoop):
                made.append(self._loop(stmt))
            else:
                made.append(map_stmt(stmt, lambda expr: expr, self.block))
        return tuple(made)

    def _loop(self, loop: kir.ThreadLoop) -> kir.ThreadLoop:
        here = {var.name for stmt in loop.body if (var := assigned_by(stmt)) is not None}
        wanted = set().union(*(named_by(stmt) for stmt in all_stmts(loop.body))) - here
        for name in reversed(self.again):
            if name in wanted and name not in here:
                wanted |= names_in(self.again[name]) - here
        own = [name for name in self.again if name in wanted and name not in here]
        body = self._drop_unread(loop.body)
        if not own:
            return replace(loop, body=body)
        names: dict[str, kir.Var] = {}
        first: list[kir.Stmt] = []
        for name in own:
            self._copies += 1
            old = self.variables[name]
            var = kir.Var(f"{name}.{self._copies}", old.type)
            self.variables[var.name] = var
            self.hints[var.name] = self.hints.get(name, "value")
            first.append(kir.Assign(var, _renamed(self.again[name], names)))
            names[name] = var
        changed = map_block(body, lambda expr: _renamed_one(expr, names))
        start = 1 if is_guard(changed[0]) else 0  # a thread that has returned works nothing out
        return replace(loop, body=(*changed[:start], *first, *changed[start:]))

    def _drop_unread(self, body: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
        """Without the assignments here of what only other loops read, which work it out themselves."""
        kept: list[kir.Stmt] = []
        read: set[str] = set()
        for stmt in reversed(body):
            name = _name(stmt.target) if isinstance(stmt, kir.Assign) else ""
            if name in self.again and name not in read:
                continue
            for inner in all_stmts((stmt,)):
                read |= set().union(*(names_in(expr) for expr in read_by(inner)))
            kept.append(stmt)
        return tuple(reversed(kept))


def _renamed(expr: kir.Expr, names: dict[str, kir.Var]) -> kir.Expr:
    return map_expr(expr, lambda node: _renamed_one(node, names))


def _renamed_one(expr: kir.Expr, names: dict[str, kir.Var]) -> kir.Expr:
    return names.get(expr.name, expr) if isinstance(expr, kir.Var) else expr


# ---------------------------------------------------------------- what is kept


class _Keeper:
    """Reaches through slots what lives in several loops over threads. Those of arrays stand where the array began."""

    def __init__(self, survey: _Survey, variables: dict[str, kir.Var], hints: dict[str, str]) -> None:
        self.survey = survey
        self.hints = hints
        self.slots: dict[str, kir.DeclareSlots] = {}
        self.arrays: dict[str, kir.DeclareSlots] = {}
        self._loops = 0
        for name, var in variables.items():
            if survey.crosses(name):
                self.slots[name] = kir.DeclareSlots(var, group=self._is_in_group(name))
        points = any(isinstance(slot.var.type, Pointer) for slot in self.slots.values())
        for name, array in survey.arrays.items():
            if points or survey.crosses(name):  # a kept pointer may point into it
                self.arrays[name] = self._array(array, not points and self._is_in_group(name))

    @staticmethod
    def _array(array: kir.DeclareArray, in_group: bool) -> kir.DeclareSlots:
        if isinstance(array.count, kir.Var):
            raise InternalError("only a block's own array is sized by the launch", array)
        return kir.DeclareSlots(array.var, array.count, zeroed=array.zeroed, group=in_group)

    def _is_in_group(self, name: str) -> bool:
        """Do all uses of a variable stand in one loop over groups?"""
        groups = self.survey.groups[name]
        return len(groups) == 1 and None not in groups

    def block(self, block: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
        made: list[kir.Stmt] = []
        for stmt in block:
            if isinstance(stmt, kir.ThreadLoop):
                made.extend(slots for slots in self._begun_in(stmt) if slots.group or stmt.group is None)
                made.append(self._loop(stmt))
                continue
            if isinstance(stmt, kir.GroupLoop):
                loops = (inner for inner in all_stmts(stmt.body) if isinstance(inner, kir.ThreadLoop))
                made.extend(slots for loop in loops for slots in self._begun_in(loop) if not slots.group)
            made.append(map_stmt(stmt, lambda expr: expr, self.block))
        return tuple(made)

    def _begun_in(self, loop: kir.ThreadLoop) -> list[kir.DeclareSlots]:
        """The kept arrays that begin in a loop over threads."""
        names = (stmt.var.name for stmt in loop.body if isinstance(stmt, kir.DeclareArray))
        return [self.arrays[name] for name in names if name in self.arrays]

    def _loop(self, loop: kir.ThreadLoop) -> kir.ThreadLoop:
        self._loops += 1
        thread = kir.Var(f"%thread{self._loops}", _INDEX)
        lane = kir.Var(f"%lane{self._loops}", _INDEX)
        self.hints[thread.name], self.hints[lane.name] = "thread", "lane"
        body = [stmt for stmt in loop.body if not (isinstance(stmt, kir.DeclareArray) and stmt.var.name in self.arrays)]
        changed = map_block(body, lambda expr: self._reach(expr, thread, lane))
        read = set().union(*(named_by(stmt) for stmt in all_stmts(changed)))
        return replace(
            loop,
            body=changed,
            thread=thread if thread.name in read else None,
            lane=lane if lane.name in read else None,
        )

    def _reach(self, expr: kir.Expr, thread: kir.Var, lane: kir.Var) -> kir.Expr:
        match expr:
            case kir.Shuffle():
                return read_slot(expr, thread, lane)
            case kir.Var() if expr.name in self.slots:
                return kir.Slot(expr, lane if self.slots[expr.name].group else thread)
            case kir.Var() if expr.name in self.arrays:
                index = lane if self.arrays[expr.name].group else thread
                count = kir.Lit(largest(self.arrays[expr.name].count), dtypes.I64)
                if not isinstance(expr.type, Pointer):
                    raise InternalError("an array is reached through a pointer", expr)
                return kir.PointerAdd(expr, kir.Apply("mul", (index, count), dtypes.I64, exact=True), expr.type)
            case _:
                return expr
