"""`for` and `while`: what a turn may assign is carried; what no turn is sure to bind stays unbound behind the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from transpile import dtypes
from transpile.diagnostics import flow
from transpile.diagnostics import variables as faults
from transpile.ir import hir, tir
from transpile.ir.tir import Value
from transpile.typing.bindings import bind
from transpile.typing.context import Context, Loop
from transpile.typing.expressions import condition
from transpile.typing.operand import Operand, constant, strong
from transpile.typing.types import Pointer, Tile, Type
from transpile.typing.variables import Environment, Unbound

Node = hir.For | hir.While


def check_for(context: Context, node: hir.For) -> None:
    """Bounds are read once, before the first turn."""
    operands = [_bound(context, bound) for bound in (node.start, node.stop, node.step)]
    if operands[2].constant == 0:
        context.report(flow.range_step_zero(node.step.span))
    context.builder.span = node.span
    start, stop, step = (context.index(operand) for operand in operands)
    before = context.bound
    loop, inits = _enter(context, node, before)
    context.builder.span = node.name_span
    index = context.builder.fresh(start.type, node.name)
    with context.collected() as ops:
        bind(context, node.name, strong(index, node.name_span), node.name_span)
        end = _turn(context, node.body)
    context.loops.pop()
    context.builder.span = node.span
    results = _results(context, loop)
    body = tir.Block(tuple(ops), end)
    context.builder.add(tir.For(index, start, stop, step, inits, loop.carried, body, results, node.span))
    is_sure = _surely_runs(operands)
    _leave(context, loop, before, results, is_sure, ("yield", "continue", "break"))


def _bound(context: Context, node: hir.Expression) -> Operand:
    """An integer bound of `range`; 1 stands for one that was reported."""
    operand = context.evaluate(node)
    if operand is not None and (not operand.is_scalar or operand.dtype.is_float):
        context.report(flow.range_bound(operand))
        operand = None
    return operand if operand is not None else constant(1, node.span)


def _surely_runs(operands: Sequence[Operand]) -> bool:
    """Whether constant bounds give at least one turn."""
    numbers = [operand.constant for operand in operands if isinstance(operand.constant, int)]
    return len(numbers) == len(operands) and numbers[2] != 0 and bool(range(*numbers))


def check_while(context: Context, node: hir.While) -> None:
    """The test runs before each turn. A constant true one is left by `break` and `return` alone."""
    before = context.bound
    loop, inits = _enter(context, node, before)
    with context.collected() as test_ops:
        test = condition(context, node.test)
        if test is not None and test.constant is not None and not test.constant:
            context.loops.pop()
            context.env = before
            return
        value = context.value(test) if test is not None else context.builder.const(False, dtypes.BOOL)
    with context.collected() as ops:
        end = _turn(context, node.body)
    context.loops.pop()
    context.builder.span = node.span
    results = _results(context, loop)
    blocks = tir.Block(tuple(test_ops), tir.Condition(value)), tir.Block(tuple(ops), end)
    context.builder.add(tir.While(inits, loop.carried, *blocks, results, node.span))
    forever = test is not None and test.constant is not None
    if forever and not any(way == "break" for way, _ in loop.ends):
        context.leave(context.unreachable())
        return
    _leave(context, loop, before, results, forever, ("break",))


# ---------------------------------------------------------------- carrying


def _enter(context: Context, node: Node, before: Environment) -> tuple[Loop, tuple[Value, ...]]:
    """Starts a loop: the state of its first turn, and the values that it carries in."""
    late = context.variables.late.get(id(node), set())
    names: list[str] = []
    carried: list[Value] = []
    inits: list[Value] = []
    context.env = dict(before)
    context.builder.span = node.span
    for name in context.assigned((node,)):
        binding = before.get(name)
        is_late = name in late and (name not in before or isinstance(binding, Unbound))
        if not isinstance(binding, Operand) and not is_late:
            continue
        variable = context.variables.types[name]
        value = context.builder.fresh(variable.type, name)
        names.append(name)
        carried.append(value)
        if isinstance(binding, Operand):
            inits.append(context.as_variable(binding, variable.type))
            context.env[name] = _carried_operand(binding, value, variable.weak)
        else:
            inits.append(_blank(context, variable.type))
    loop = Loop(node, tuple(names), tuple(carried), before)
    context.loops.append(loop)
    return loop, tuple(inits)


def _carried_operand(binding: Operand, value: Value, weak: bool) -> Operand:
    return Operand(type=value.type, span=binding.span, value=value, weak=weak, root=binding.root, origin=binding.origin)


def _blank(context: Context, kind: Type) -> Value:
    """A value that nothing reads, for a name that the loop is sure to bind."""
    zero = context.builder.const(False if kind.dtype is dtypes.BOOL else 0.0 if kind.dtype.is_float else 0, kind.dtype)
    return context.shaped(zero, kind.shape if isinstance(kind, Tile) else None)


def _turn(context: Context, statements: Sequence[hir.Statement]) -> tir.Terminator:
    """Checks one turn; its terminator."""
    context.evaluate_block(context, statements)
    if context.env is not None:
        end: tir.Terminator = tir.Yield(_leaving(context, "yield"))
    elif context.end is not None:
        end = context.end
    else:
        end = tir.Yield(context.loops[-1].carried)
    context.end = None
    return end


def leave_loop(context: Context, way: Literal["break", "continue"]) -> None:
    """`break` or `continue`, with what the innermost loop carries."""
    if not context.loops:
        return
    values = _leaving(context, way)
    context.leave(tir.Break(values) if way == "break" else tir.Continue(values))


def _leaving(context: Context, way: str) -> tuple[Value, ...]:
    """The values of the carried names at the end of a turn; notes which names are bound there."""
    loop = context.loops[-1]
    bound = frozenset(name for name, binding in context.bound.items() if not isinstance(binding, Unbound))
    loop.ends.append((way, bound))
    values: list[Value] = []
    for name, carried in zip(loop.names, loop.carried, strict=True):
        binding = context.bound.get(name)
        if not isinstance(binding, Operand):
            values.append(carried)
            continue
        first = loop.before.get(name)
        if isinstance(carried.type, Pointer) and isinstance(first, Operand) and first.root != binding.root:
            context.report(faults.pointer_merge(name, loop.node.header, [first, binding]))
        values.append(context.as_variable(binding, carried.type))
    return tuple(values)


def _results(context: Context, loop: Loop) -> tuple[Value, ...]:
    return tuple(context.builder.fresh(value.type, value.name) for value in loop.carried)


def _leave(
    context: Context,
    loop: Loop,
    before: Environment,
    results: tuple[Value, ...],
    is_sure: bool,
    ways: Sequence[str],
) -> None:
    """The state behind a loop. `is_sure`: it is left only in one of `ways`, after a turn that began."""
    context.env = dict(before)
    ends = [bound for way, bound in loop.ends if way in ways]
    by_name = dict(zip(loop.names, results, strict=True))
    for name in context.assigned((loop.node,)):
        binding = before.get(name)
        always = is_sure and bool(ends) and all(name in bound for bound in ends)
        if name in before and binding is None:
            continue
        if isinstance(binding, Operand):
            context.env[name] = _carried_operand(binding, by_name[name], context.variables.types[name].weak)
        elif name in by_name and always:
            result = by_name[name]
            weak = context.variables.types[name].weak
            context.env[name] = Operand(type=result.type, span=loop.node.span, value=result, weak=weak)
        elif isinstance(binding, Unbound) and not always:
            context.env[name] = binding
        else:
            context.env[name] = Unbound(loop.node.header, id(loop.node) if always else None)
