"""Expressions of HIR as operands: names, operators, comparisons, logic, conditional expressions."""

from __future__ import annotations

from transpile.diagnostics import flow
from transpile.diagnostics import typing as faults
from transpile.diagnostics.core import InternalError
from transpile.ir import hir
from transpile.source import Span
from transpile.typing.calls import check_call
from transpile.typing.context import Context
from transpile.typing.elementwise import apply
from transpile.typing.operand import Operand, constant
from transpile.typing.power import power
from transpile.typing.select import branch, truth
from transpile.typing.variables import Unbound


def check_expression(context: Context, node: hir.Expression) -> Operand | None:
    """The operand of an expression that must give one value; None if it is poison."""
    context.builder.span = node.span
    match node:
        case hir.Poison():
            return None
        case hir.LiteralNumber() | hir.Constant():
            return constant(node.value, node.span)
        case hir.Local():
            return read_local(context, node.name, node.span)
        case hir.Unary():
            return _unary(context, node)
        case hir.Binary():
            return _binary(context, node)
        case hir.Logic():
            return _logic(context, node)
        case hir.Compare():
            return _compare(context, node)
        case hir.Conditional():
            return _conditional(context, node)
        case hir.Call():
            return check_call(context, node)
        case hir.DTypeName():
            context.report(faults.type_as_value(node.span, node.dtype))
        case hir.FunctionName():
            context.report(faults.function_as_value(node.span, context.program.functions[node.key].name))
        case hir.TupleExpression():
            context.report(faults.tuple_as_value(node.span))
        case _:
            raise InternalError("unknown expression", node)
    return None


def read_local(context: Context, name: str, span: Span) -> Operand | None:
    """What a name is bound to here; a path that leaves it unbound is reported, once for all that follows."""
    if name not in context.bound:
        context.report(flow.unbound(span, name))
        context.bound[name] = None
        return None
    bound = context.bound[name]
    if not isinstance(bound, Unbound):
        return bound.at(span) if bound is not None else None
    if bound.late_in is None or not context.variables.can_be_late(name):
        context.report(flow.maybe_unbound(span, name, bound.place))
        context.bound[name] = None
    else:
        context.variables.bind_late(bound.late_in, name)
    return None


# ---------------------------------------------------------------- operators


def _unary(context: Context, node: hir.Unary) -> Operand | None:
    if node.op == "not":
        return negated(context, node)
    return apply(context, node.op, [context.evaluate(node.operand)], node.span)


def _binary(context: Context, node: hir.Binary) -> Operand | None:
    """A chain `a + b + c` is walked along its left side, so that its length costs no depth."""
    chain = [node]
    while isinstance(chain[-1].left, hir.Binary):
        chain.append(chain[-1].left)
    left = context.evaluate(chain[-1].left)
    for link in reversed(chain):
        left = binary(context, link.op, left, context.evaluate(link.right), link.span)
    return left


def binary(context: Context, op: str, left: Operand | None, right: Operand | None, span: Span) -> Operand | None:
    """`left op right`, `**` included."""
    return power(context, left, right, span) if op == "pow" else apply(context, op, [left, right], span)


# ---------------------------------------------------------------- comparisons and logic


def _compare(context: Context, node: hir.Compare) -> Operand | None:
    left = context.evaluate(node.operands[0])
    right = context.evaluate(node.operands[1])
    first = apply(context, node.ops[0], [left, right], _pair_span(node, 0))
    return _compare_rest(context, node, 1, right, first)


def _pair_span(node: hir.Compare, place: int) -> Span:
    if len(node.ops) == 1:
        return node.span
    left, right = node.operands[place].span, node.operands[place + 1].span
    return Span(left.file, left.line, left.column, right.end_line, right.end_column)


def _compare_rest(
    context: Context, node: hir.Compare, place: int, left: Operand | None, known: Operand | None
) -> Operand | None:
    """`known and left op next …`: what stands right of a comparison that fails is not evaluated."""
    if place == len(node.ops):
        return known
    if known is not None and known.is_tile:
        context.report(faults.chained_tiles(node.span, known))
        known = None

    def rest() -> Operand | None:
        right = context.evaluate(node.operands[place + 1])
        compared = apply(context, node.ops[place], [left, right], _pair_span(node, place))
        if compared is not None and compared.is_tile:
            context.report(faults.chained_tiles(node.span, compared))
            compared = None
        return _compare_rest(context, node, place + 1, right, compared)

    return branch(context, known, rest, lambda: constant(False, node.span), node.span, "and")


def _logic(context: Context, node: hir.Logic) -> Operand | None:
    """Python's: the left side decides whether the right one is evaluated, and is the result if not."""
    left, is_refused = _no_tile(context, node, node.left)
    known = truth(context, left)

    def right() -> Operand | None:
        return _no_tile(context, node, node.right, is_refused)[0]

    if node.op == "and":
        return branch(context, known, right, lambda: left, node.span, "and")
    return branch(context, known, lambda: left, right, node.span, "or")


def _no_tile(
    context: Context, node: hir.Logic, side: hir.Expression, is_told: bool = False
) -> tuple[Operand | None, bool]:
    """A side of `and` or `or`, and whether it is a tile, which is refused, once for the operator."""
    operand = context.evaluate(side)
    if operand is None or not operand.is_tile:
        return operand, False
    if not is_told:
        context.report(faults.tile_truth(node.span, operand, node.op, "&" if node.op == "and" else "|"))
    return None, True


def _conditional(context: Context, node: hir.Conditional) -> Operand | None:
    known = condition(context, node.test)
    return branch(
        context,
        known,
        lambda: context.evaluate(node.then),
        lambda: context.evaluate(node.orelse),
        node.span,
        "select",
    )


def condition(context: Context, node: hir.Expression) -> Operand | None:
    """The truth of a scalar as a bool, as `if` and `while` ask for it: here `and` and `or` are of bools alone."""
    if isinstance(node, hir.Logic):
        known, is_refused = _condition_side(context, node, node.left)

        def right() -> Operand | None:
            return _condition_side(context, node, node.right, is_refused)[0]

        if node.op == "and":
            return branch(context, known, right, lambda: constant(False, node.span), node.span, "and")
        return branch(context, known, lambda: constant(True, node.span), right, node.span, "or")
    if isinstance(node, hir.Unary) and node.op == "not":
        return negated(context, node)
    return truth(context, context.evaluate(node))


def _condition_side(
    context: Context, node: hir.Logic, side: hir.Expression, is_told: bool = False
) -> tuple[Operand | None, bool]:
    if isinstance(side, hir.Logic):
        return condition(context, side), False
    operand, is_refused = _no_tile(context, node, side, is_told)
    return truth(context, operand), is_refused


def negated(context: Context, node: hir.Unary) -> Operand | None:
    """`not x` of a scalar."""
    operand = (
        condition(context, node.operand) if isinstance(node.operand, hir.Logic) else context.evaluate(node.operand)
    )
    if operand is not None and operand.is_tile:
        context.report(faults.tile_truth(node.span, operand, "not", "~"))
        return None
    known = truth(context, operand)
    if known is not None and known.constant is not None:
        return constant(not known.constant, node.span)
    return apply(context, "not", [known], node.span)
