"""Splits a thread kernel for the CPU: one thread of the host walks a block's threads, in loops that end at the
barriers.

Statements between two barriers stand in a `ThreadLoop`, those with shuffles among them in a `GroupLoop` over groups of
32, again split. Control flow around a barrier is uniform: it stands outside, and what it tests is worked out once.
Variables have no declarations yet; those that live across a split get them from `thread_slots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of, is_shared_array
from transpile.lowering.structure import FALSE, TRUE, negated
from transpile.lowering.thread_leave import leave_with, remember
from transpile.lowering.thread_levels import Levels, Stretch, find_levels, stretches
from transpile.lowering.thread_slots import SENT, Split, place_slots
from transpile.lowering.thread_uniform import Uniform, find_uniform, reads_memory
from transpile.typing.types import Scalar

GROUP = 32
_Stmts: TypeAlias = "list[kir.Stmt]"


def split_threads(body: Sequence[kir.Stmt], variables: Mapping[str, kir.Var], hints: dict[str, str]) -> Split:
    """`variables` are those that `body` assigns and that nothing declares yet; `hints` gets the names of new ones."""
    levels = find_levels(body)
    uniform = find_uniform(body, levels, frozenset(variables))
    splitter = _Splitter(levels, uniform, dict(variables), hints)
    arrays = [place for place, stmt in enumerate(body) if is_shared_array(stmt)]
    first = arrays[-1] + 1 if arrays else 0  # the block's own arrays stand at the start, each under its note
    statements = [*body[:first], *splitter.start(), *splitter.block(body[first:])]
    return place_slots(tuple(statements), splitter.variables, hints)


@dataclass
class _Splitter:
    levels: Levels
    uniform: Uniform
    variables: dict[str, kir.Var]
    hints: dict[str, str]
    gone: kir.Var | None = None  # of a thread: it has returned
    _made: int = 0

    def _fresh(self, word: str, kind: kir.VarType, *, declared: bool = True) -> kir.Var:
        self._made += 1
        var = kir.Var(f"%{word}{self._made}", kind)
        self.hints[var.name] = word
        if declared:
            self.variables[var.name] = var
        return var

    # ------------------------------------------------------------ the block

    def start(self) -> _Stmts:
        """What comes before everything else: no thread has returned yet, if that must be remembered."""
        if not self.levels.remembers:
            return []
        self.gone = self._fresh("gone", Scalar(dtypes.BOOL))
        return [kir.ThreadLoop((kir.Assign(self.gone, FALSE),))]

    def block(self, block: Sequence[kir.Stmt]) -> _Stmts:
        """Statements that stand outside all loops over threads."""
        made: _Stmts = []
        for part in stretches(block, self.levels):
            if not isinstance(part, Stretch):
                made.extend(self._hoisted(part, None))
            elif part.has_groups:
                made.extend(self._groups(part.stmts))
            else:
                made.extend(self._run(part.stmts, None))
        return made

    def _groups(self, stmts: Sequence[kir.Stmt]) -> _Stmts:
        """A loop over groups of 32; comments at the end stay outside it, before the barrier that they speak of."""
        last = _comments_at_end(stmts)
        var = self._fresh("group", Scalar(dtypes.I64), declared=False)
        body = leave_with(self._group(stmts[:last], var), self._flag)
        return [kir.GroupLoop(var, tuple(body)), *stmts[last:]]

    def _group(self, block: Sequence[kir.Stmt], group: kir.Var) -> _Stmts:
        """Statements that stand in a loop over groups."""
        made: _Stmts = []
        run: _Stmts = []
        for stmt in block:
            if self.levels[stmt] == 0:
                run.append(stmt)
                continue
            shuffle = _shuffle_of(stmt)
            if shuffle is None:
                made.extend(self._run(run, group))
                made.extend(self._hoisted(stmt, group))
                run = []
                continue
            target, exchange = shuffle
            sent = self._fresh(SENT.lstrip("%"), Scalar(exchange.dtype))
            start = _comments_at_end(run)
            made.extend(self._run([*run[:start], kir.Assign(sent, exchange.operand)], group))
            run = [*run[start:], kir.Assign(target, replace(exchange, operand=sent))]
        made.extend(self._run(run, group))
        return made

    def _run(self, run: Sequence[kir.Stmt], group: kir.Var | None) -> _Stmts:
        """Statements of level 0: a loop over threads, with what is uniform before or after it."""
        sides = [self.uniform.sides.get(id(stmt)) for stmt in run]
        for place in range(len(run) - 2, -1, -1):
            if isinstance(run[place], kir.Comment):
                sides[place] = sides[place + 1]  # it speaks of what follows
        before = [stmt for stmt, side in zip(run, sides, strict=True) if side == "before"]
        after = [stmt for stmt, side in zip(run, sides, strict=True) if side == "after"]
        stays = [stmt for stmt, side in zip(run, sides, strict=True) if side is None]
        last = _comments_at_end(stays)
        loop = [kir.ThreadLoop(tuple(self._for_each(stays[:last])), group)] if last else []
        return [*before, *loop, *after, *stays[last:]]

    def _for_each(self, stmts: Sequence[kir.Stmt]) -> _Stmts:
        """The body of a loop over threads."""
        if self.gone is None:
            return leave_with(stmts, self._flag)
        made = [made for stmt in stmts for made in remember(stmt, self.gone)]
        return [kir.If(self.gone, (kir.Continue(),)), *leave_with(made, self._flag)]

    def _flag(self) -> kir.Var:
        return self._fresh("left", Scalar(dtypes.BOOL))

    # ------------------------------------------------------------ control flow around exchanges

    def _hoisted(self, stmt: kir.Stmt, group: kir.Var | None) -> _Stmts:
        def inner(block: Sequence[kir.Stmt]) -> tuple[kir.Stmt, ...]:
            return tuple(self.block(block) if group is None else self._group(block, group))

        match stmt:
            case kir.Barrier():
                return []
            case kir.Return() if group is not None and self.gone is not None:
                return [kir.ThreadLoop((kir.Assign(self.gone, TRUE),), group), stmt]
            case kir.Break() | kir.Continue() | kir.Return():
                return [stmt]
            case kir.If():
                before, cond = self._once(stmt.cond, group)
                return [*before, kir.If(cond, inner(stmt.then), inner(stmt.orelse))]
            case kir.While():
                before, test = self._once(stmt.test, group)
                if not before:
                    return [kir.While(test, inner(stmt.body))]
                leave = kir.If(negated(test), (kir.Break(),))
                return [kir.While(TRUE, (*before, leave, *inner(stmt.body)))]
            case kir.For():
                bounds = [self._once(bound, group) for bound in (stmt.start, stmt.stop, stmt.step)]
                before = [made for evaluation, _ in bounds for made in evaluation]
                start, stop, step = (expr for _, expr in bounds)
                return [*before, replace(stmt, start=start, stop=stop, step=step, body=inner(stmt.body))]
            case _:
                raise InternalError("this cannot stand around an exchange", stmt)

    def _once(self, expr: kir.Expr, group: kir.Var | None) -> tuple[_Stmts, kir.Expr]:
        """`expr`, the same for all threads here, as one can read it outside the loop over threads."""
        if self.uniform.is_uniform(expr) and (self.gone is None or not reads_memory(expr)):
            return [], expr
        dtype = dtype_of(expr)
        value = self._fresh("same", Scalar(dtype))
        if self.gone is None:
            return [kir.ThreadLoop((kir.Assign(value, expr),), group, first=True)], value
        unset = kir.Lit(False if dtype is dtypes.BOOL else 0, dtype)
        each = kir.ThreadLoop((kir.If(self.gone, (kir.Continue(),)), kir.Assign(value, expr)), group)
        return [kir.Assign(value, unset), each], value


def _comments_at_end(stmts: Sequence[kir.Stmt]) -> int:
    """Where the comments begin that end these statements."""
    last = len(stmts)
    while last > 0 and isinstance(stmts[last - 1], kir.Comment):
        last -= 1
    return last


def _shuffle_of(stmt: kir.Stmt) -> tuple[kir.Var, kir.Shuffle] | None:
    if isinstance(stmt, kir.Assign) and isinstance(stmt.value, kir.Shuffle) and isinstance(stmt.target, kir.Var):
        return stmt.target, stmt.value
    return None
