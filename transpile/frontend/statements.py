"""Statements: libcst to HIR."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import libcst as cst

from transpile.diagnostics.described import kind_word
from transpile.frontend import unsupported
from transpile.frontend.annotations import annotation_of
from transpile.frontend.bindings import LanguageName
from transpile.frontend.body import Body, hidden, path_of
from transpile.frontend.expressions import expression, name, tuple_or_expression
from transpile.frontend.reports import assert_statement, print_call, print_statement
from transpile.frontend.scope import names_in
from transpile.ir import hir
from transpile.source import Span

AUGMENTED: Final[dict[type[cst.CSTNode], str]] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "sub",
    cst.MultiplyAssign: "mul",
    cst.DivideAssign: "truediv",
    cst.FloorDivideAssign: "floordiv",
    cst.ModuloAssign: "mod",
    cst.PowerAssign: "pow",
    cst.LeftShiftAssign: "shl",
    cst.RightShiftAssign: "shr",
    cst.BitAndAssign: "and",
    cst.BitOrAssign: "or",
    cst.BitXorAssign: "xor",
}
RANGE_ARGUMENTS: Final = range(1, 4)
LAUNCHER: Final = kind_word("launcher")


def function_body(body: Body, node: cst.FunctionDef) -> tuple[hir.Statement, ...]:
    """The statements of a function, without its docstring."""
    return tuple(_suite(body, node.body, is_function=True))


def _suite(body: Body, suite: cst.BaseSuite, *, is_function: bool = False) -> Iterator[hir.Statement]:
    is_first = is_function
    for statement in suite.body:
        if isinstance(statement, cst.SimpleStatementLine):
            smalls: Iterable[cst.BaseSmallStatement] = statement.body
        elif isinstance(statement, cst.BaseSmallStatement):
            smalls = (statement,)
        else:
            smalls = ()
            yield from _compound(body, statement)
        for small in smalls:
            if not (is_first and _is_docstring(small)):
                yield from _simple(body, small)
            is_first = False
        is_first = False


def _is_docstring(node: cst.BaseSmallStatement) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)


def _block(body: Body, suite: cst.BaseSuite) -> tuple[hir.Statement, ...]:
    return tuple(_suite(body, suite))


# ---------------------------------------------------------------- simple statements


def _simple(body: Body, node: cst.BaseSmallStatement) -> Iterator[hir.Statement]:
    span = body.span(node)
    match node:
        case cst.Assign():
            yield from _assign(body, node, span)
        case cst.AnnAssign():
            yield from _annotated(body, node, span)
        case cst.AugAssign():
            yield from _augmented(body, node, span)
        case cst.Expr():
            yield _expression_statement(body, node, span)
        case cst.Assert() if body.where != LAUNCHER:
            yield assert_statement(body, node)
        case cst.Return():
            is_none = isinstance(node.value, cst.Name) and node.value.value == "None"
            value = None if node.value is None or is_none else expression(body, node.value)
            yield hir.Return(None if body.has_refused_result else value, span)
        case cst.Pass():
            yield hir.Pass(span)
        case cst.Break():
            yield hir.Break(span)
        case cst.Continue():
            yield hir.Continue(span)
        case _:
            body.refuse(node, unsupported.STATEMENTS[type(node)])


def _expression_statement(body: Body, node: cst.Expr, span: Span) -> hir.Statement:
    printed = print_call(body, node.value)
    if printed is None:
        return hir.ExpressionStatement(expression(body, node.value), span)
    if body.where == LAUNCHER:
        return hir.ExpressionStatement(body.refuse(printed, unsupported.PRINT), span)
    return print_statement(body, printed)


def _assign(body: Body, node: cst.Assign, span: Span) -> Iterator[hir.Statement]:
    wants_tuple = any(isinstance(target.target, cst.Tuple | cst.List) for target in node.targets)
    value = tuple_or_expression(body, node.value) if wants_tuple else expression(body, node.value)
    targets = [_target(body, target.target) for target in node.targets]
    known = tuple(target for target in targets if target is not None)
    if known:
        yield hir.Assign(known, value, span)


def _target(body: Body, node: cst.BaseExpression) -> hir.Target | None:
    match node:
        case cst.Name():
            body.assigned.add(node.value)
            return hir.Target((node.value,), False, (body.span(node),))
        case cst.Tuple() | cst.List():
            return _tuple_target(body, node.elements, node)
        case _:
            _refuse_target(body, node)
            return None


def _tuple_target(body: Body, elements: Sequence[cst.BaseElement], node: cst.BaseExpression) -> hir.Target | None:
    is_whole = True
    found: list[cst.Name] = []
    for element in elements:
        if isinstance(element, cst.StarredElement):
            body.refuse(element, unsupported.STAR_TARGET)
        elif isinstance(element.value, cst.Tuple | cst.List):
            body.refuse(element.value, unsupported.NESTED_TUPLE)
        elif isinstance(element.value, cst.Name):
            found.append(element.value)
            body.assigned.add(element.value.value)
            continue
        else:
            _refuse_target(body, element.value)
        is_whole = False
    if not is_whole:
        _forget(body, node)
        return None
    return hir.Target(tuple(each.value for each in found), True, tuple(body.span(each) for each in found))


def _forget(body: Body, node: cst.BaseExpression) -> None:
    """The names of a refused target count as assigned: one fault is enough."""
    body.assigned.update(each.value for each in names_in(node))
    body.poisoned.update(each.value for each in names_in(node))


def _refuse_target(body: Body, node: cst.BaseExpression) -> None:
    body.refuse(node, unsupported.STORE_BY_INDEX if isinstance(node, cst.Subscript) else unsupported.STORE_ATTRIBUTE)


def _annotated(body: Body, node: cst.AnnAssign, span: Span) -> Iterator[hir.Statement]:
    annotation = annotation_of(body, node.annotation.annotation, allows_pointers=True)
    value = expression(body, node.value) if node.value is not None else None
    if not isinstance(node.target, cst.Name):
        _refuse_target(body, node.target)
        return
    if value is not None:
        body.assigned.add(node.target.value)
    if annotation is not None:
        yield hir.AnnotatedAssign(node.target.value, annotation, value, span, body.span(node.target))
    elif value is not None:
        poison = hir.Poison(body.span(node.target))
        yield hir.Assign((hir.Target((node.target.value,), False, (poison.span,)),), poison, span)


def _augmented(body: Body, node: cst.AugAssign, span: Span) -> Iterator[hir.Statement]:
    op = AUGMENTED.get(type(node.operator))
    if not isinstance(node.target, cst.Name):
        _refuse_target(body, node.target)
        expression(body, node.value)
        return
    before = name(body, node.target)
    value = expression(body, node.value)
    body.assigned.add(node.target.value)
    if op is None:
        body.refuse(node.operator, unsupported.OPERATORS[type(node.operator)])
    elif isinstance(before, hir.Local):
        yield hir.AugmentedAssign(node.target.value, op, value, span, body.span(node.target))
    else:  # reported: from here on the name is whatever one needs
        yield hir.Assign((hir.Target((node.target.value,), False, (before.span,)),), hir.Poison(before.span), span)


# ---------------------------------------------------------------- compound statements


def _compound(body: Body, node: cst.BaseStatement) -> Iterator[hir.Statement]:
    match node:
        case cst.If():
            yield _if(body, node)
        case cst.While():
            test = expression(body, node.test)
            yield hir.While(test, _block(body, node.body), body.span(node), _header(body, node, node.test))
            _refuse_else(body, node.orelse)
        case cst.For():
            yield from _for(body, node)
        case _:
            body.refuse(node, unsupported.ASYNC if _is_async(node) else unsupported.STATEMENTS[type(node)])


def _is_async(node: cst.BaseStatement) -> bool:
    return isinstance(node, cst.With | cst.FunctionDef) and node.asynchronous is not None


def _if(body: Body, node: cst.If) -> hir.If:
    test = expression(body, node.test)
    header = _header(body, node, node.test)
    then = _block(body, node.body)
    match node.orelse:
        case cst.If():
            orelse: tuple[hir.Statement, ...] = (_if(body, node.orelse),)
        case cst.Else():
            orelse = _block(body, node.orelse.body)
        case None:
            orelse = ()
    return hir.If(test, then, orelse, body.span(node), header)


def _refuse_else(body: Body, orelse: cst.Else | None) -> None:
    if orelse is not None:
        body.refuse(orelse, unsupported.LOOP_ELSE)


def _for(body: Body, node: cst.For) -> Iterator[hir.Statement]:
    if node.asynchronous is not None:
        body.refuse(node, unsupported.ASYNC)
        return
    bounds = _range(body, node.iter)
    if isinstance(node.target, cst.Name):
        body.assigned.add(node.target.value)
    else:
        body.refuse(node.target, unsupported.FOR_TARGET)
        _forget(body, node.target)
    inner = _block(body, node.body)
    _refuse_else(body, node.orelse)
    if not isinstance(node.target, cst.Name):
        return
    start, stop, step = bounds
    header = _header(body, node, node.iter)
    yield hir.For(node.target.value, start, stop, step, inner, body.span(node), header, body.span(node.target))


def _range(body: Body, node: cst.BaseExpression) -> tuple[hir.Expression, hir.Expression, hir.Expression]:
    """Start, stop and step; poison where this is no `range`."""
    span = body.span(node)
    poison = hir.Poison(span)
    path = path_of(body, node.func) if isinstance(node, cst.Call) else None
    if not isinstance(node, cst.Call) or path is None or path.binding != LanguageName("builtin.range"):
        body.refuse(node, unsupported.FOR_OVER, hidden(body, path) if path is not None else "")
        return poison, poison, poison
    values: list[hir.Expression] = []
    for argument in node.args:
        if argument.star:
            body.refuse(argument, unsupported.STAR_ARGUMENT)
            return poison, poison, poison
        if argument.keyword is not None:
            body.refuse(argument, unsupported.KEYWORD_IN_RANGE)
            return poison, poison, poison
        values.append(expression(body, argument.value))
    if len(values) not in RANGE_ARGUMENTS:
        body.refuse(node, unsupported.RANGE_COUNT)
        return poison, poison, poison
    zero, one = hir.LiteralNumber(0, span), hir.LiteralNumber(1, span)
    if len(values) == 1:
        return zero, values[0], one
    return values[0], values[1], values[2] if len(values) == len(("start", "stop", "step")) else one


def _header(body: Body, node: cst.CSTNode, last: cst.BaseExpression) -> Span:
    """From the keyword to the colon that ends the header."""
    start, end = body.span(node), body.span(last)
    lines = start.file.lines
    line, column = end.end_line, end.end_column
    while line <= len(lines):
        rest = lines[line - 1][column - 1 :].partition("#")[0]
        place = rest.find(":")
        if place >= 0:
            return Span(start.file, start.line, start.column, line, column + place + 1)
        line, column = line + 1, 1
    return Span(start.file, start.line, start.column, end.end_line, end.end_column)
