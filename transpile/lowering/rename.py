"""Gives the variables of a KIR function their C++ names: the user's where it can be, no two alike where both are
visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from transpile.ir import kir
from transpile.ir.kir_walk import blocks_of, declared_by, map_block
from transpile.lowering.names import Names


def rename_variables(
    body: Sequence[kir.Stmt], hints: Mapping[str, str], names: Names, given: Mapping[str, str]
) -> tuple[kir.Stmt, ...]:
    """`hints`: what each placeholder would like to be called. `given`: the names that parameters have already; `names`
    has them too. Blocks that do not see each other may use one name for two things."""
    chosen = dict(given)
    _choose(body, hints, names, chosen)

    def rename(expr: kir.Expr) -> kir.Expr:
        return replace(expr, name=chosen.get(expr.name, expr.name)) if isinstance(expr, kir.Var) else expr

    return map_block(body, rename)


def _choose(block: Sequence[kir.Stmt], hints: Mapping[str, str], names: Names, chosen: dict[str, str]) -> None:
    for stmt in block:
        inner = blocks_of(stmt)
        if not inner:
            _name(declared_by(stmt), hints, names, chosen)
            continue
        for body in inner:
            scope = names.inner()
            _name(declared_by(stmt), hints, scope, chosen)
            _choose(body, hints, scope, chosen)


def _name(variables: Sequence[kir.Var], hints: Mapping[str, str], names: Names, chosen: dict[str, str]) -> None:
    for var in variables:
        if var.name not in chosen:
            chosen[var.name] = names.variable(hints.get(var.name, "value"))
