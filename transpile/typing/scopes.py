"""Which names a statement may assign: what an `if` merges and a loop carries."""

from __future__ import annotations

from collections.abc import Sequence

from transpile.ir import hir

Memo = dict[int, tuple[str, ...]]


def assigned_names(statements: Sequence[hir.Statement], memo: Memo) -> tuple[str, ...]:
    """The names that `statements` assign anywhere inside, in the order of their first assignment."""
    names: dict[str, None] = {}
    for statement in statements:
        names.update(dict.fromkeys(names_of(statement, memo)))
    return tuple(names)


def names_of(statement: hir.Statement, memo: Memo) -> tuple[str, ...]:
    """As `assigned_names`, of one statement; `memo` keeps the answer for compound ones."""
    match statement:
        case hir.Assign():
            return tuple(name for target in statement.targets for name in target.names)
        case hir.AnnotatedAssign() | hir.AugmentedAssign():
            return (statement.name,)
        case hir.If() | hir.For() | hir.While():
            if id(statement) not in memo:
                memo[id(statement)] = _names_inside(statement, memo)
            return memo[id(statement)]
        case _:
            return ()


def _names_inside(statement: hir.If | hir.For | hir.While, memo: Memo) -> tuple[str, ...]:
    match statement:
        case hir.If():
            return assigned_names((*statement.then, *statement.orelse), memo)
        case hir.For():
            return tuple(dict.fromkeys((statement.name, *assigned_names(statement.body, memo))))
        case hir.While():
            return assigned_names(statement.body, memo)
