"""`if`: both arms from one state, and the names that they leave different as results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from transpile import dtypes
from transpile.diagnostics import variables as faults
from transpile.dtypes import Number
from transpile.ir import hir, tir
from transpile.ir.tir import Value
from transpile.source import NOWHERE, Span
from transpile.typing.context import Context
from transpile.typing.expressions import condition
from transpile.typing.operand import Operand
from transpile.typing.types import Pointer
from transpile.typing.variables import Environment, Unbound, hull


@dataclass(eq=False)
class Arm:
    """What one arm built. `end` is set, and `env` None, where it never falls out of the `if`."""

    ops: list[tir.Op]
    end: tir.Terminator | None
    env: Environment | None


def check_arm(context: Context, statements: Sequence[hir.Statement], before: Environment) -> Arm:
    """Checks `statements` from the state `before`, apart from what is around them."""
    context.env = dict(before)
    with context.collected() as ops:
        context.evaluate_block(context, statements)
    end, context.end = context.end, None
    return Arm(ops, end, context.env)


def check_if(context: Context, node: hir.If) -> None:
    """An arm that never falls out takes what follows the `if` out of the other arm's way: that one is not nested."""
    test = condition(context, node.test)
    if test is not None and test.constant is not None:
        context.evaluate_block(context, node.then if test.constant else node.orelse)
        return
    context.builder.span = node.span
    cond = context.value(test) if test is not None else context.builder.const(False, dtypes.BOOL)
    before = context.bound
    then = check_arm(context, node.then, before)
    if then.end is not None:
        context.builder.add(
            tir.If(cond, tir.Block(tuple(then.ops), then.end), tir.Block((), tir.Yield()), (), node.span)
        )
        context.env = before
        context.evaluate_block(context, node.orelse)
        return
    orelse = check_arm(context, node.orelse, before)
    _merge(context, node, cond, before, [then, orelse])


def _merge(context: Context, node: hir.If, cond: Value, before: Environment, arms: list[Arm]) -> None:
    falling = [arm for arm in arms if arm.end is None]
    after = dict(before)
    results: list[Value] = []
    yields: list[list[Value]] = [[] for _ in falling]
    context.builder.span = node.span
    for name in context.assigned((node,)):
        found = [arm.env.get(name) if arm.env is not None and name in arm.env else _ABSENT for arm in falling]
        if all(binding is _ABSENT for binding in found):
            continue
        if any(binding is None for binding in found):
            after[name] = None
        elif any(binding is _ABSENT or isinstance(binding, Unbound) for binding in found):
            after[name] = _unbound(found, node.header)
        else:
            operands = [binding for binding in found if isinstance(binding, Operand)]
            merged = _same(operands, before.get(name))
            after[name] = merged or _result(context, node, name, operands, falling, results, yields)
    ends = iter(yields)
    blocks = [
        tir.Block(tuple(arm.ops), arm.end if arm.end is not None else tir.Yield(tuple(next(ends)))) for arm in arms
    ]
    context.builder.add(tir.If(cond, blocks[0], blocks[1], tuple(results), node.span))
    context.env = after


_ABSENT = Unbound(NOWHERE)


def _unbound(found: Sequence[Operand | Unbound | None], place: Span) -> Unbound:
    """The first arm that leaves a name unbound says why; otherwise the `if` does."""
    for binding in found:
        if isinstance(binding, Unbound) and binding is not _ABSENT:
            return binding
    return Unbound(place)


def _same(operands: Sequence[Operand], before: Operand | Unbound | None) -> Operand | None:
    """The operand that every arm leaves: one value from before the `if` (no arm's own is seen behind it), or one
    constant."""
    first = operands[0]
    is_outer = len(operands) > 1 or (isinstance(before, Operand) and before.value == first.value)
    if is_outer and first.value is not None and all(operand.value == first.value for operand in operands):
        return first
    if first.constant is not None and all(_is_constant(operand, first.constant) for operand in operands):
        return replace(first, value=None)
    return None


def _is_constant(operand: Operand, value: Number) -> bool:
    """Whether an operand is that very constant: -0.0 is not 0.0, and no NaN is another."""
    return operand.constant is not None and repr(operand.constant) == repr(value) and value == value


def _result(
    context: Context,
    node: hir.If,
    name: str,
    operands: Sequence[Operand],
    arms: Sequence[Arm],
    results: list[Value],
    yields: list[list[Value]],
) -> Operand | None:
    """A result of the `If` for a name that the arms leave different."""
    variable = context.variables.types[name]
    if isinstance(variable.type, Pointer):
        roots = {operand.root for operand in operands}
        if len(roots) > 1:
            context.report(faults.pointer_merge(name, node.header, operands))
            return None
    result = context.builder.fresh(variable.type, name)
    for operand, arm, values in zip(operands, arms, yields, strict=True):
        with context.collected() as more:
            values.append(context.as_variable(operand, variable.type))
        arm.ops.extend(more)
    results.append(result)
    bounds = operands[0].known_bounds
    for operand in operands[1:]:
        bounds = hull(bounds, operand.known_bounds)
    return Operand(
        type=variable.type,
        span=node.span,
        value=result,
        weak=variable.weak,
        bounds=bounds if variable.weak else None,
        root=operands[0].root,
        origin=operands[0].origin,
    )
