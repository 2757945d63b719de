"""What a KIR body holds, as far as whole functions are asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, declared_by, nodes, read_by


def all_exprs(body: Sequence[kir.Stmt]) -> Iterator[kir.Expr]:
    """Every expression that the body evaluates or assigns to, outer before inner."""
    for stmt in all_stmts(body):
        for expr in read_by(stmt):
            yield from nodes(expr)
        if isinstance(stmt, kir.Assign):
            yield from nodes(stmt.target)


def variables(body: Sequence[kir.Stmt]) -> Iterator[kir.Var]:
    """Every variable that the body declares."""
    for stmt in all_stmts(body):
        yield from declared_by(stmt)


def places_read(body: Sequence[kir.Stmt]) -> set[str]:
    """The kinds of places that the body asks for."""
    return {expr.kind for expr in all_exprs(body) if isinstance(expr, kir.Place)}
