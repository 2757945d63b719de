"""At which level each statement of a thread kernel must stand when one CPU thread walks the threads of a block.

Level 0 is inside a loop over threads, level 1 inside a loop over groups of 32, level 2 outside both. A shuffle or
`syncwarp` needs level 1, `syncthreads` level 2, and so does the control flow around them, which is uniform there. A
`return`, `break` or `continue` that such a statement may follow needs its level too; otherwise it only ends one
thread's part. Where that part is not the thread's last, the threads that have returned must be remembered
(`Levels.remembers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, blocks_of, nodes, read_by

Level: TypeAlias = Literal[0, 1, 2]


def is_shuffle(stmt: kir.Stmt) -> bool:
    return any(isinstance(node, kir.Shuffle) for expr in read_by(stmt) for node in nodes(expr))


def _own_level(stmt: kir.Stmt) -> Level:
    """What the exchanges in `stmt` need."""
    level: Level = 0
    for inner in all_stmts((stmt,)):
        if isinstance(inner, kir.Barrier):
            level = 2 if inner.scope == "block" else _higher(level, 1)
        elif is_shuffle(inner):
            level = _higher(level, 1)
        if level == 2:
            return 2
    return level


def _higher(left: Level, right: Level) -> Level:
    return left if left >= right else right


def jumps_of(stmt: kir.Stmt) -> set[type[kir.Stmt]]:
    """The ways in which control leaves `stmt` other than at its end."""
    if isinstance(stmt, kir.Break | kir.Continue | kir.Return | kir.Assert):
        return {type(stmt)}
    found: set[type[kir.Stmt]] = set()
    if any(isinstance(node, kir.Call) and node.reports for expr in read_by(stmt) for node in nodes(expr)):
        found.add(kir.Assert)
    for block in blocks_of(stmt):
        for inner in block:
            found |= jumps_of(inner)
    if isinstance(stmt, kir.For | kir.While):
        found -= {kir.Break, kir.Continue}
    if isinstance(stmt, kir.ThreadLoop | kir.GroupLoop):
        found -= {kir.Continue}
    return found


@dataclass
class Levels:
    """The levels of a function's statements, by id(). `remembers`: a thread may return and others go on past its
    loop."""

    of: dict[int, Level] = field(default_factory=dict)
    remembers: bool = False
    _own: dict[int, Level] = field(default_factory=dict)

    def __getitem__(self, stmt: kir.Stmt) -> Level:
        return self.of[id(stmt)]

    def own(self, stmt: kir.Stmt) -> Level:
        """The level that the exchanges in `stmt` ask for."""
        known = self._own.get(id(stmt))
        if known is None:
            known = self._own[id(stmt)] = _own_level(stmt)
        return known


@dataclass(frozen=True, slots=True)
class Stretch:
    """Statements in a row that no barrier of the block separates. With `has_groups` they stand in a loop over
    groups."""

    stmts: tuple[kir.Stmt, ...]
    has_groups: bool


def stretches(block: Sequence[kir.Stmt], levels: Levels) -> list[Stretch | kir.Stmt]:
    """The statements of level 2 of a block, and the stretches between them."""
    parts: list[Stretch | kir.Stmt] = []
    waiting: list[kir.Stmt] = []

    def flush() -> None:
        if waiting:
            parts.append(Stretch(tuple(waiting), any(levels[stmt] == 1 for stmt in waiting)))
            waiting.clear()

    for stmt in block:
        if levels[stmt] < 2:
            waiting.append(stmt)
            continue
        flush()
        parts.append(stmt)
    flush()
    return parts


def find_levels(body: Sequence[kir.Stmt]) -> Levels:
    levels = Levels()
    _visit(levels, body, _Around())
    return levels


@dataclass(frozen=True, slots=True)
class _Around:
    """What may run after a block: the highest level before the thread ends (`after`), and before the next turn of the
    innermost loop (`after_in_turn`); the level of that loop. `more`: something follows outside the loop over threads
    that the block's statements of level 0 stand in."""

    after: Level = 0
    after_in_turn: Level = 0
    loop: Level = 0
    more: bool = False


def _visit(levels: Levels, block: Sequence[kir.Stmt], around: _Around) -> None:
    after, after_in_turn, follows = around.after, around.after_in_turn, False
    for stmt in reversed(block):
        level = levels.own(stmt)
        jumps = jumps_of(stmt)
        if kir.Return in jumps:
            level = _higher(level, after)
            levels.remembers = levels.remembers or (level < 2 and around.more)
        if kir.Break in jumps:
            level = _higher(level, around.loop)
        if kir.Continue in jumps:
            level = _higher(level, after_in_turn)
        levels.of[id(stmt)] = level
        is_loop = isinstance(stmt, kir.For | kir.While)
        inside = _Around(
            after=_higher(after, level) if is_loop else after,
            after_in_turn=0 if is_loop else after_in_turn,
            loop=level if is_loop else around.loop,
            more=around.more or (level > 0 and (follows or is_loop)),
        )
        for inner in blocks_of(stmt):
            _visit(levels, inner, inside)
        after, after_in_turn = _higher(after, level), _higher(after_in_turn, level)
        follows = follows or not isinstance(stmt, kir.Comment)
