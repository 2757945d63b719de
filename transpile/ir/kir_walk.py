"""Questions about KIR and rebuilding of it that many passes need: children, names read, the same tree with parts
replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeGuard

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.dtypes import DType
from transpile.ir import kir
from transpile.typing.types import Vec

MapExpr: TypeAlias = Callable[[kir.Expr], kir.Expr]
MapBlock: TypeAlias = Callable[[tuple[kir.Stmt, ...]], tuple[kir.Stmt, ...]]


def children(expr: kir.Expr) -> tuple[kir.Expr, ...]:
    """The expressions directly below `expr`."""
    if isinstance(expr, kir.Var | kir.Lit | kir.Place):  # most nodes: asked first
        return ()
    match expr:
        case kir.Apply() | kir.Call() | kir.Pack():
            return expr.operands
        case kir.Element() | kir.PointerAdd():
            return (expr.base, expr.index)
        case kir.Groups():
            return tuple(each for each in (expr.base, expr.index, expr.mask, expr.other) if each is not None)
        case kir.Cast():
            return (expr.operand,)
        case kir.Slot():
            return (expr.var, expr.index)
        case kir.Shuffle():
            return (expr.operand, expr.lane)
        case kir.Atomic():
            return (expr.place, expr.value) if expr.compare is None else (expr.place, expr.compare, expr.value)
        case kir.Fold() | kir.Scan():
            return (expr.source,) if expr.stage is None else (expr.source, expr.stage)
        case kir.Shared():
            return (expr.value,) if expr.stage is None else (expr.value, expr.stage)
    raise InternalError("an expression of KIR", expr)


def nodes(expr: kir.Expr) -> Iterator[kir.Expr]:
    """`expr` and every expression below it, outer before inner."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def dtype_of(expr: kir.Expr) -> DType:
    """The element type of an expression's value."""
    match expr:
        case kir.Place():
            return dtypes.I64
        case kir.Var() | kir.PointerAdd():
            return expr.type.dtype
        case kir.Slot():
            return expr.var.type.dtype
        case _:
            return expr.dtype


def names_in(expr: kir.Expr) -> set[str]:
    """The variables that `expr` reads."""
    return {node.name for node in nodes(expr) if isinstance(node, kir.Var)}


def map_expr(expr: kir.Expr, change: MapExpr) -> kir.Expr:
    """`expr` rebuilt from its leaves up, `change` applied to every node."""
    match expr:
        case kir.Lit() | kir.Var() | kir.Place():
            return change(expr)
        case kir.Apply() | kir.Call() | kir.Pack():
            return change(replace(expr, operands=tuple(map_expr(operand, change) for operand in expr.operands)))
        case kir.Cast():
            return change(replace(expr, operand=map_expr(expr.operand, change)))
        case kir.Element() | kir.PointerAdd():
            return change(replace(expr, base=map_expr(expr.base, change), index=map_expr(expr.index, change)))
        case kir.Groups():
            mask = None if expr.mask is None else _var(expr.mask, change)
            other = None if expr.other is None else map_expr(expr.other, change)
            base, index = map_expr(expr.base, change), map_expr(expr.index, change)
            return change(replace(expr, base=base, index=index, mask=mask, other=other))
        case kir.Slot():
            return change(replace(expr, var=_var(expr.var, change), index=map_expr(expr.index, change)))
        case kir.Shuffle():
            return change(replace(expr, operand=map_expr(expr.operand, change), lane=map_expr(expr.lane, change)))
        case kir.Atomic():
            return change(_atomic(expr, change))
        case kir.Fold() | kir.Scan():
            stage = None if expr.stage is None else _var(expr.stage, change)
            return change(replace(expr, source=map_expr(expr.source, change), stage=stage))
        case kir.Shared():
            stage = None if expr.stage is None else _var(expr.stage, change)
            return change(replace(expr, value=map_expr(expr.value, change), stage=stage))
    raise InternalError("an expression of KIR", expr)


def _atomic(expr: kir.Atomic, change: MapExpr) -> kir.Atomic:
    place = map_expr(expr.place, change)
    if not isinstance(place, kir.Element):
        raise InternalError("an atomic changes an element", place)
    compare = None if expr.compare is None else map_expr(expr.compare, change)
    return replace(expr, place=place, value=map_expr(expr.value, change), compare=compare)


def _var(var: kir.Var, change: MapExpr) -> kir.Var:
    """A variable that is declared or must stay one: renamed at most."""
    changed = change(var)
    return changed if isinstance(changed, kir.Var) else var


def _target(target: kir.Target, change: MapExpr) -> kir.Target:
    changed = map_expr(target, change)
    if not isinstance(changed, kir.Var | kir.Element | kir.Groups | kir.Slot):
        raise InternalError("a target became something that cannot be assigned", changed)
    return changed


def map_stmt(stmt: kir.Stmt, change: MapExpr, inner: MapBlock | None = None) -> kir.Stmt:
    """`stmt` with `change` applied to every node of its expressions and targets (declared variables may only be
    renamed) and `inner` to the blocks that it holds; by default these are rebuilt in the same way."""
    deep: MapBlock = inner or (lambda block: map_block(block, change))
    match stmt:
        case kir.Comment() | kir.Barrier() | kir.Break() | kir.Continue():
            return stmt
        case kir.Print():
            return replace(stmt, operands=tuple(map_expr(each, change) for each in stmt.operands))
        case kir.Assert():
            place = tuple(map_expr(each, change) for each in stmt.place)
            return replace(stmt, cond=map_expr(stmt.cond, change), place=place)
        case kir.Declare():
            value = None if stmt.value is None else map_expr(stmt.value, change)
            return replace(stmt, var=_var(stmt.var, change), value=value)
        case kir.DeclareArray():
            count = _var(stmt.count, change) if isinstance(stmt.count, kir.Var) else stmt.count
            return replace(stmt, var=_var(stmt.var, change), count=count)
        case kir.DeclareSlots():
            return replace(stmt, var=_var(stmt.var, change))
        case kir.Assign():
            return replace(stmt, target=_target(stmt.target, change), value=map_expr(stmt.value, change))
        case kir.Evaluate():
            return replace(stmt, value=map_expr(stmt.value, change))
        case kir.If():
            return replace(stmt, cond=map_expr(stmt.cond, change), then=deep(stmt.then), orelse=deep(stmt.orelse))
        case kir.For():
            bounds = [map_expr(bound, change) for bound in (stmt.start, stmt.stop, stmt.step)]
            return replace(
                stmt,
                var=_var(stmt.var, change),
                start=bounds[0],
                stop=bounds[1],
                step=bounds[2],
                body=deep(stmt.body),
            )
        case kir.While():
            return replace(stmt, test=map_expr(stmt.test, change), body=deep(stmt.body))
        case kir.LaneLoop() | kir.GroupLoop():
            return replace(stmt, var=_var(stmt.var, change), body=deep(stmt.body))
        case kir.ThreadLoop():
            return replace(
                stmt,
                body=deep(stmt.body),
                group=None if stmt.group is None else _var(stmt.group, change),
                thread=None if stmt.thread is None else _var(stmt.thread, change),
                lane=None if stmt.lane is None else _var(stmt.lane, change),
            )
        case kir.Return():
            return replace(stmt, value=None if stmt.value is None else map_expr(stmt.value, change))
        case kir.Launch():
            grid, block, arguments = (
                tuple(map_expr(expr, change) for expr in part) for part in (stmt.grid, stmt.block, stmt.arguments)
            )
            return replace(stmt, grid=grid, block=block, arguments=arguments)
        case kir.Checked():
            operands = tuple(map_expr(operand, change) for operand in stmt.operands)
            return replace(stmt, var=_var(stmt.var, change), operands=operands)
    raise InternalError("a statement of KIR", stmt)


def map_block(block: Sequence[kir.Stmt], change: MapExpr) -> tuple[kir.Stmt, ...]:
    return tuple(map_stmt(stmt, change) for stmt in block)


def read_by(stmt: kir.Stmt) -> tuple[kir.Expr, ...]:
    """The expressions that `stmt` itself evaluates, not those of the blocks it holds: of a target, its base and
    index."""
    match stmt:
        case kir.Declare() | kir.Return():
            return () if stmt.value is None else (stmt.value,)
        case kir.Assign():
            place = stmt.target
            return (stmt.value,) if isinstance(place, kir.Var) else (*children(place), stmt.value)
        case kir.DeclareArray():
            return (stmt.count,) if isinstance(stmt.count, kir.Var) else ()
        case kir.Evaluate():
            return (stmt.value,)
        case kir.If():
            return (stmt.cond,)
        case kir.For():
            return (stmt.start, stmt.stop, stmt.step)
        case kir.While():
            return (stmt.test,)
        case kir.ThreadLoop():
            return () if stmt.group is None else (stmt.group,)
        case kir.Launch():
            return (*stmt.grid, *stmt.block, *stmt.arguments)
        case kir.Checked() | kir.Print():
            return stmt.operands
        case kir.Assert():
            return (stmt.cond, *stmt.place)
        case _:
            return ()


def blocks_of(stmt: kir.Stmt) -> tuple[tuple[kir.Stmt, ...], ...]:
    """The blocks that `stmt` holds, in the order in which they run."""
    match stmt:
        case kir.If():
            return (stmt.then, stmt.orelse)
        case kir.For() | kir.While() | kir.LaneLoop() | kir.GroupLoop() | kir.ThreadLoop():
            return (stmt.body,)
        case _:
            return ()


def declared_by(stmt: kir.Stmt) -> tuple[kir.Var, ...]:
    """The variables that begin with `stmt`: for a loop, in its body."""
    match stmt:
        case kir.Declare() | kir.DeclareArray() | kir.DeclareSlots() | kir.For() | kir.LaneLoop() | kir.GroupLoop():
            return (stmt.var,)
        case kir.ThreadLoop():
            return tuple(var for var in (stmt.thread, stmt.lane) if var is not None)
        case kir.Checked():
            return (stmt.var,) if stmt.declares else ()
        case _:
            return ()


def assigned_by(stmt: kir.Stmt) -> kir.Var | None:
    """The variable that `stmt` itself gives a value, declaring it or not (a vec through one of its lanes too)."""
    match stmt:
        case kir.Assign():
            target = stmt.target
            if isinstance(target, kir.Element) and isinstance(target.base, kir.Var):
                return target.base if isinstance(target.base.type, Vec) else None
            return target if isinstance(target, kir.Var) else None
        case kir.Declare():
            return None if stmt.value is None else stmt.var
        case kir.Checked():
            return stmt.var
        case _:
            return None


def named_by(stmt: kir.Stmt) -> set[str]:
    """The variables that `stmt` itself reads or assigns."""
    names = set().union(*(names_in(expr) for expr in read_by(stmt)))
    var = assigned_by(stmt)
    return names if var is None else names | {var.name}


def changes_memory(stmt: kir.Stmt) -> bool:
    """Does `stmt` itself write to memory: a store, or an atomic?"""
    if isinstance(stmt, kir.Assign) and isinstance(stmt.target, kir.Element):
        return True
    return any(isinstance(node, kir.Atomic) for expr in read_by(stmt) for node in nodes(expr))


def all_stmts(block: Sequence[kir.Stmt]) -> Iterator[kir.Stmt]:
    """Every statement of a block and of the blocks inside it, outer before inner."""
    for stmt in block:
        yield stmt
        for inner in blocks_of(stmt):
            yield from all_stmts(inner)


def is_shared_array(stmt: kir.Stmt) -> TypeGuard[kir.DeclareArray]:
    """Is `stmt` an array of the block?"""
    return isinstance(stmt, kir.DeclareArray) and stmt.space == "shared"


def shared_arrays(block: Sequence[kir.Stmt]) -> list[kir.DeclareArray]:
    """The shared arrays of a kernel's body."""
    return [stmt for stmt in all_stmts(block) if is_shared_array(stmt)]
