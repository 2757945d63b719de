"""Expressions: libcst to HIR, each name resolved. What the language lacks is reported and left as `Poison`."""

from __future__ import annotations

from typing import Final, Literal

import libcst as cst

from transpile.diagnostics import names
from transpile.frontend import unsupported
from transpile.frontend.bindings import (
    Definition,
    HostFunction,
    HostImport,
    HostValue,
    LanguageName,
    Missing,
    ModuleName,
    NotStatic,
    Refused,
    StaticName,
    TypeName,
)
from transpile.frontend.body import Body, Path, hidden, path_of, undefined
from transpile.frontend.calls import call, tuple_expression
from transpile.frontend.vocabulary import instead_of
from transpile.ir import hir

BINARY: Final[dict[type[cst.CSTNode], str]] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.Divide: "truediv",
    cst.FloorDivide: "floordiv",
    cst.Modulo: "mod",
    cst.Power: "pow",
    cst.LeftShift: "shl",
    cst.RightShift: "shr",
    cst.BitAnd: "and",
    cst.BitOr: "or",
    cst.BitXor: "xor",
}
COMPARISONS: Final[dict[type[cst.CSTNode], str]] = {
    cst.Equal: "eq",
    cst.NotEqual: "ne",
    cst.LessThan: "lt",
    cst.LessThanEqual: "le",
    cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
}
_UNARY: Final[dict[type[cst.CSTNode], Literal["neg", "pos", "invert", "not"]]] = {
    cst.Minus: "neg",
    cst.Plus: "pos",
    cst.BitInvert: "invert",
    cst.Not: "not",
}
_WORDS: Final = {"True": True, "False": False}


def expression(body: Body, node: cst.BaseExpression) -> hir.Expression:
    """The value of `node`."""
    match node:
        case cst.Name() | cst.Attribute():
            return name(body, node)
        case cst.Integer():
            return hir.LiteralNumber(int(node.value.replace("_", ""), 0), body.span(node))
        case cst.Float():
            return hir.LiteralNumber(float(node.value.replace("_", "")), body.span(node))
        case cst.BinaryOperation():
            return _binary(body, node)
        case cst.UnaryOperation():
            return _unary(body, node)
        case cst.BooleanOperation():
            op: Literal["and", "or"] = "and" if isinstance(node.operator, cst.And) else "or"
            left = expression(body, node.left)
            return hir.Logic(op, left, expression(body, node.right), body.span(node))
        case cst.Comparison():
            return _comparison(body, node)
        case cst.IfExp():
            then = expression(body, node.body)
            test = expression(body, node.test)
            return hir.Conditional(test, then, expression(body, node.orelse), body.span(node))
        case cst.Call():
            return call(body, node, expression)
        case cst.Subscript():
            return _subscript(body, node)
        case _:
            return body.refuse(node, unsupported.EXPRESSIONS[type(node)])


def tuple_or_expression(body: Body, node: cst.BaseExpression) -> hir.Expression:
    """As `expression`, where a tuple may stand as well."""
    return tuple_expression(body, node, expression) if isinstance(node, cst.Tuple) else expression(body, node)


def _binary(body: Body, node: cst.BinaryOperation) -> hir.Expression:
    op = BINARY.get(type(node.operator))
    left = expression(body, node.left)
    if op is None:
        body.refuse(node.operator, unsupported.OPERATORS[type(node.operator)])
    right = expression(body, node.right)
    if op is None:
        return hir.Poison(body.span(node))
    return hir.Binary(op, left, right, body.span(node))


def _unary(body: Body, node: cst.UnaryOperation) -> hir.Expression:
    operand = expression(body, node.expression)
    is_minus = isinstance(node.operator, cst.Minus)
    if is_minus and isinstance(operand, hir.LiteralNumber) and not isinstance(operand.value, bool):
        return hir.LiteralNumber(-operand.value, body.span(node))
    return hir.Unary(_UNARY[type(node.operator)], operand, body.span(node))


def _comparison(body: Body, node: cst.Comparison) -> hir.Expression:
    operands = [expression(body, node.left)]
    ops: list[str] = []
    for target in node.comparisons:
        row = unsupported.OPERATORS.get(type(target.operator))
        if row is not None:
            return body.refuse(target.operator, row)  # what stands on the right is often foreign as well
        ops.append(COMPARISONS[type(target.operator)])
        operands.append(expression(body, target.comparator))
    return hir.Compare(tuple(ops), tuple(operands), body.span(node))


def _subscript(body: Body, node: cst.Subscript) -> hir.Expression:
    path = path_of(body, node.value)
    if path is not None and isinstance(path.binding, LanguageName):
        return not_a_value(body, node, path)
    has_slice = any(isinstance(element.slice, cst.Slice) for element in node.slice)
    return body.refuse(node, unsupported.SLICE if has_slice else unsupported.INDEX)


def name(body: Body, node: cst.Name | cst.Attribute) -> hir.Expression:
    """A name or a dotted name, read."""
    span = body.span(node)
    if isinstance(node, cst.Name) and node.value in _WORDS:
        return hir.LiteralNumber(_WORDS[node.value], span)
    if isinstance(node, cst.Name) and node.value == "None":
        return body.refuse(node, unsupported.NONE)
    path = path_of(body, node)
    if path is None:
        return body.refuse(node, unsupported.ATTRIBUTE)
    match path.binding:
        case None:
            return _local(body, node, path)
        case TypeName(dtype):
            return hir.DTypeName(dtype, span)
        case StaticName(value) if not isinstance(value, tuple):
            return captured(body, node, path, value)
        case StaticName():
            body.report(names.captured_type(span, path.written, "a tuple", None))
        case _:
            return not_a_value(body, node, path)
    return hir.Poison(span)


def captured(body: Body, node: cst.CSTNode, path: Path, value: bool | int | float) -> hir.Expression:
    """A constant of `math` is a literal; one of the module is captured."""
    span = body.span(node)
    if len(path.parts) > 1:
        return hir.LiteralNumber(value, span)
    body.captured.setdefault(path.written, value)
    return hir.Constant(path.written, value, span)


def _local(body: Body, node: cst.BaseExpression, path: Path) -> hir.Expression:
    span = body.span(node)
    if path.parts[0] in body.poisoned:
        return hir.Poison(span)
    if len(path.parts) > 1:
        return body.refuse(node, unsupported.ATTRIBUTE, hidden(body, path))
    if path.written not in body.assigned and body.namespace.is_own(path.written):
        body.report(names.assign_captured(span, path.written, body.locals[path.written]))
        return hir.Poison(span)
    return hir.Local(path.written, span)


def not_a_value(body: Body, node: cst.CSTNode, path: Path) -> hir.Poison:
    """Reports a name that stands where a value should."""
    span, written = body.span(node), path.written
    match path.binding:
        case Missing():
            body.report(undefined(path, path.binding, span, body.locals))
        case NotStatic(why=why, span=where):
            body.report(names.not_static(span, written, why, where))
        case HostImport(module=module):
            body.report(
                names.not_static(span, written, f"comes from '{module}', which is not found beside this file", None)
            )
        case HostValue(what="a module") if len(path.parts) > 1:
            return body.refuse(node, unsupported.MODULE_ATTRIBUTE, instead_of(path.parts[-1]))
        case HostValue() if len(path.parts) > 1:
            return body.refuse(node, unsupported.ATTRIBUTE)
        case HostValue(what="a module") | ModuleName():
            body.report(names.not_a_value(span, written, "a module"))
        case HostValue(what=what, span=where):
            body.report(names.captured_type(span, written, what, where))
        case HostFunction() | LanguageName():
            body.report(names.not_a_value(span, written, "a function", "call it"))
        case Definition():
            body.report(names.not_a_value(span, written, "a function", "call it, launch it or map it over tiles"))
        case Refused():
            pass
        case _:
            body.report(names.not_a_value(span, written, "no number"))
    return hir.Poison(span)
