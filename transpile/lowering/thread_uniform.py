"""Finds what is the same for all threads of a block, so that it is worked out once, outside the loops over threads.

A statement is uniform if all it reads is, and all it assigns are variables that only uniform statements assign. It must
also be possible to run it before or after the threads' part among which it stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from transpile.ir import kir
from transpile.ir.kir_walk import (
    all_stmts,
    assigned_by,
    blocks_of,
    changes_memory,
    children,
    declared_by,
    is_shared_array,
    named_by,
    nodes,
    read_by,
)
from transpile.lowering.thread_levels import Levels, Stretch, is_shuffle, jumps_of, stretches

Side: TypeAlias = Literal["before", "after"]


@dataclass
class Uniform:
    """`names` are the uniform variables; `sides` says by id() where a uniform statement goes, before or after its
    run."""

    names: set[str] = field(default_factory=set)
    sides: dict[int, Side] = field(default_factory=dict)

    def is_uniform(self, expr: kir.Expr, fixed: frozenset[str] = frozenset()) -> bool:
        """Does every thread get the same from `expr`? `fixed` are more names that are uniform."""
        match expr:
            case kir.Place():
                return expr.kind != "thread_id"
            case kir.Var():
                return expr.name in self.names or expr.name in fixed
            case kir.Shuffle() | kir.Slot() | kir.Atomic():
                return False
            case _:
                return all(self.is_uniform(child, fixed) for child in children(expr))


def find_uniform(body: Sequence[kir.Stmt], levels: Levels, variables: frozenset[str]) -> Uniform:
    """`variables` are those that the body assigns; parameters, shared arrays and counters of uniform loops are
    uniform."""
    layout = _Layout(levels)
    layout.block(body)
    own = {var.name for stmt in all_stmts(body) for var in declared_by(stmt) if not is_shared_array(stmt)}
    outside = frozenset(name for stmt in all_stmts(body) for name in named_by(stmt)) - own - variables
    counters = {var.name for stmt, _ in layout.hoisted for var in declared_by(stmt)}
    contexts: defaultdict[str, set[int | None]] = defaultdict(set)
    for stmt, group in layout.hoisted:
        for name in named_by(stmt):
            contexts[name].add(group)
    for run in layout.runs:
        for stmt in run.stmts:
            for name in _named_in(stmt):
                contexts[name].add(run.group)
    found = Uniform({name for name in variables if len(contexts[name]) == 1} | outside | counters)
    _settle(found, layout.runs, levels.remembers)
    return found


def _settle(found: Uniform, runs: list[_Run], gone: bool) -> None:
    """Takes names away until what is left holds. `gone`: all threads may have returned before a run."""
    while True:
        dropped: set[str] = set()
        found.sides.clear()
        for run in runs:
            dropped |= _arrange(found, run, gone)
        if not dropped & found.names:
            return
        found.names -= dropped


@dataclass
class _Run:
    """Statements of level 0 in a row; `group` tells the loop over groups around them, if any."""

    stmts: list[kir.Stmt]
    group: int | None


@dataclass
class _Layout:
    """The runs of a body, and the statements outside them with their loops over groups."""

    levels: Levels
    runs: list[_Run] = field(default_factory=list)
    hoisted: list[tuple[kir.Stmt, int | None]] = field(default_factory=list)
    _groups: int = 0

    def block(self, block: Sequence[kir.Stmt]) -> None:
        for part in stretches(block, self.levels):
            if not isinstance(part, Stretch):
                self.hoisted.append((part, None))
                for body in blocks_of(part):
                    self.block(body)
            elif part.has_groups:
                self._groups += 1
                self._group(part.stmts, self._groups)
            else:
                self.runs.append(_Run(list(part.stmts), None))

    def _group(self, stmts: Sequence[kir.Stmt], group: int) -> None:
        run = _Run([], group)
        for stmt in stmts:
            if self.levels[stmt] == 0:
                run.stmts.append(stmt)
                continue
            if is_shuffle(stmt):  # it sends at the end of one run and receives at the start of the next
                self.runs.append(_Run([*run.stmts, stmt], group))
                run = _Run([stmt], group)
                continue
            self.runs.append(run)
            run = _Run([], group)
            self.hoisted.append((stmt, group))
            for body in blocks_of(stmt):
                self._group(body, group)
        self.runs.append(run)


def _assigned_in(stmt: kir.Stmt) -> set[str]:
    return {var.name for inner in all_stmts((stmt,)) if (var := assigned_by(inner)) is not None}


def _named_in(stmt: kir.Stmt) -> set[str]:
    return set().union(*(named_by(inner) for inner in all_stmts((stmt,))))


def _is_candidate(found: Uniform, stmt: kir.Stmt) -> bool:
    """Can `stmt` run once for all threads, for all that is known?"""
    assigned = _assigned_in(stmt)
    if not assigned or not assigned <= found.names or jumps_of(stmt):
        return False
    counters = frozenset(var.name for inner in all_stmts((stmt,)) for var in declared_by(inner))
    for inner in all_stmts((stmt,)):
        if isinstance(inner, kir.Assign) and not isinstance(inner.target, kir.Var):
            return False
        if isinstance(inner, kir.DeclareArray | kir.DeclareSlots):
            return False
        if not all(found.is_uniform(expr, counters) for expr in read_by(inner)):
            return False
    return True


def _arrange(found: Uniform, run: _Run, gone: bool) -> set[str]:
    """Puts the uniform statements of a run before or after it; the names of those that cannot go there."""
    dropped: set[str] = set()
    before: set[str] = set()  # named by what stays and stands earlier
    late: set[str] = set()  # named by what goes after
    stays = [not _is_candidate(found, stmt) for stmt in run.stmts]
    stored, jumped, skipped = False, gone, False
    for place, stmt in enumerate(run.stmts):
        if stays[place]:
            before |= _named_in(stmt)
            dropped |= _assigned_in(stmt)
            stored = stored or _stores(stmt)
            jumped = jumped or bool(jumps_of(stmt))
            skipped = skipped or kir.Continue in jumps_of(stmt)
            continue
        assigned, named = _assigned_in(stmt), _named_in(stmt)
        careful = bool(blocks_of(stmt)) or any(map(reads_memory, _read_in(stmt)))
        guarded = jumped and (careful or any(map(_is_exact_here, _read_in(stmt))))
        rest = [other for other, is_staying in zip(run.stmts[place:], stays[place:], strict=True) if is_staying]
        blocked = guarded or (careful and stored)
        if skipped:  # some threads are at the next turn already, without this
            dropped |= assigned
        elif not assigned & before and not named & late and not blocked:
            found.sides[id(stmt)] = "before"
        elif guarded or any(assigned & _named_in(other) or (careful and _stores(other)) for other in rest):
            dropped |= assigned
        else:
            found.sides[id(stmt)] = "after"
            late |= named
    return dropped


def _is_exact_here(expr: kir.Expr) -> bool:
    """Does `expr` hold an operation that may be exact only because of what was tested before it?"""
    return any(isinstance(node, kir.Apply | kir.Cast) and node.exact for node in nodes(expr))


def _read_in(stmt: kir.Stmt) -> list[kir.Expr]:
    return [expr for inner in all_stmts((stmt,)) for expr in read_by(inner)]


def _stores(stmt: kir.Stmt) -> bool:
    return any(map(changes_memory, all_stmts((stmt,))))


def reads_memory(expr: kir.Expr) -> bool:
    """Does `expr` read what it may not when no thread asks for it, or cost what is not spent in vain?"""
    return any(isinstance(node, kir.Element | kir.Call) for node in nodes(expr))
