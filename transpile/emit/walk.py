"""What a KIR body holds, as far as whole functions are asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, declared_by, dtype_of, nodes, read_by
from transpile.typing.types import Vec, types_of

if TYPE_CHECKING:
    from typing import TypeGuard


def all_exprs(body: Sequence[kir.Stmt]) -> Iterator[kir.Expr]:
    """Every expression that the body evaluates or assigns to, outer before inner."""
    for stmt in all_stmts(body):
        for expr in read_by(stmt):
            yield from nodes(expr)
        if isinstance(stmt, kir.Assign):
            yield from nodes(stmt.target)


def reads(body: Sequence[kir.Stmt]) -> frozenset[str]:
    """The names of the variables and arrays that the body mentions, other than to assign to them."""
    found = (node for stmt in all_stmts(body) for expr in read_by(stmt) for node in nodes(expr))
    return frozenset(node.name for node in found if isinstance(node, kir.Var))


def variables(body: Sequence[kir.Stmt]) -> Iterator[kir.Var]:
    """Every variable that the body declares."""
    for stmt in all_stmts(body):
        yield from declared_by(stmt)


def places_read(body: Sequence[kir.Stmt]) -> set[str]:
    """The kinds of places that the body asks for."""
    return {expr.kind for expr in all_exprs(body) if isinstance(expr, kir.Place)}


def unread(body: Sequence[kir.Stmt]) -> frozenset[str]:
    """The variables and arrays that the body declares and never reads; an array is not read by writing to it."""
    stmts = list(all_stmts(body))
    arrays = {stmt.var.name for stmt in stmts if isinstance(stmt, kir.DeclareArray | kir.DeclareSlots)}
    arrays |= {var.name for var in variables(body) if isinstance(var.type, Vec)}
    read: set[str] = set()
    for stmt in stmts:
        written = _written_array(stmt)
        for expr in read_by(stmt):
            if not (expr is written and written.name in arrays):
                read |= {node.name for node in nodes(expr) if isinstance(node, kir.Var)}
    return frozenset(var.name for var in variables(body) if var.name not in read)


def _written_array(stmt: kir.Stmt) -> kir.Var | None:
    """The array or pointer through which an assignment writes."""
    if isinstance(stmt, kir.Assign) and isinstance(stmt.target, kir.Element) and isinstance(stmt.target.base, kir.Var):
        return stmt.target.base
    return stmt.target.var if isinstance(stmt, kir.Assign) and isinstance(stmt.target, kir.Slot) else None


def without_unread(body: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
    """The body without constants at its own level that nothing in it reads."""
    while True:
        names = unread(body)
        kept = tuple(stmt for stmt in body if not (_is_constant(stmt) and stmt.var.name in names))
        if len(kept) == len(body):
            return body
        body = kept


def _is_constant(stmt: kir.Stmt) -> TypeGuard[kir.Declare]:
    """True for a declaration that may go: its value has no effect and asks nobody."""
    if not isinstance(stmt, kir.Declare) or stmt.mutable or stmt.value is None:
        return False
    return not any(
        isinstance(node, kir.Call | kir.Shuffle | kir.Atomic | kir.Fold | kir.Scan | kir.Shared)
        for node in nodes(stmt.value)
    )


def has_floats_below_double(function: kir.Function | kir.Launcher) -> bool:
    """Whether floats of fewer than 64 bits may be anywhere in it."""
    dtypes = [parameter.var.type.dtype for parameter in function.parameters]
    dtypes += [dtype_of(expr) for expr in all_exprs(function.body) if not isinstance(expr, kir.Call)]
    return any(each.is_float and each.bits < 64 for dtype in dtypes for each in types_of(dtype))
