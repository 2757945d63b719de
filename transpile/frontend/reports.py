"""`print` and `assert`: the text that is written and the values in it, f-strings taken apart. What of Python's `print`
a kernel does not have is refused by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import libcst as cst

from transpile.frontend import unsupported
from transpile.frontend.bindings import HostFunction
from transpile.frontend.body import Body, path_of
from transpile.frontend.expressions import expression
from transpile.frontend.unsupported import Row
from transpile.ir import hir

Part = str | hir.Shown
_CODE: Final = cst.Module(body=())
_String = cst.SimpleString | cst.ConcatenatedString | cst.FormattedString


def print_call(body: Body, node: cst.BaseExpression) -> cst.Call | None:
    """The call, where `node` is one of the builtin `print`."""
    if not isinstance(node, cst.Call):
        return None
    path = path_of(body, node.func)
    return node if path is not None and path.binding == HostFunction("print", None) else None


def print_statement(body: Body, node: cst.Call) -> hir.Print:
    """`print(…)` as a statement."""
    arguments: list[list[Part]] = []
    between = {"sep": " ", "end": "\n"}
    for argument in node.args:
        keyword = argument.keyword.value if argument.keyword is not None else None
        if argument.star:
            body.refuse(argument, unsupported.STAR_ARGUMENT)
        elif keyword is None:
            arguments.append(list(_argument(body, argument.value)))
        elif keyword in between:
            between[keyword] = _constant(body, argument.value, unsupported.PRINT_WORD)
        else:
            body.refuse(argument, unsupported.PRINT_KEYWORD)
    parts: list[Part] = []
    for place, each in enumerate(arguments):
        parts += [between["sep"], *each] if place else each
    return hir.Print(tuple(_joined([*parts, between["end"]])), body.span(node))


def assert_statement(body: Body, node: cst.Assert) -> hir.Assert:
    """`assert test, message`."""
    test = expression(body, node.test)
    message = "" if node.msg is None else _constant(body, node.msg, unsupported.ASSERT_MESSAGE)
    return hir.Assert(test, message, body.span(node))


def _joined(parts: list[Part]) -> Iterator[Part]:
    """Neighbouring texts as one; no text is empty."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text


def _argument(body: Body, node: cst.BaseExpression) -> Iterator[Part]:
    if isinstance(node, _String):
        yield from _string(body, node)
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.left, _String):
        body.refuse(node, unsupported.TEXT_OPERATION)
    else:
        yield hir.Shown(expression(body, node), "", body.span(node))


def _string(body: Body, node: cst.BaseExpression) -> Iterator[Part]:
    match node:
        case cst.ConcatenatedString():
            yield from _string(body, node.left)
            yield from _string(body, node.right)
        case cst.FormattedString():
            for each in node.parts:
                if isinstance(each, cst.FormattedStringText):
                    yield _text(body, each, node)
                elif isinstance(each, cst.FormattedStringExpression):
                    yield from _replacement(body, each)
        case cst.SimpleString():
            text = ast.literal_eval(node.value)
            if isinstance(text, bytes):
                body.refuse(node, unsupported.BYTES)
            else:
                yield _whole(body, node, text)
        case _:
            body.refuse(node, unsupported.STRING)


def _text(body: Body, node: cst.FormattedStringText, around: cst.FormattedString) -> str:
    """What stands between the braces of an f-string, its escapes read and its doubled braces made one."""
    quote, text = around.quote, node.value.replace("{{", "{").replace("}}", "}")
    if "r" not in around.prefix.lower():
        text = ast.literal_eval(f"{quote}{text} {quote}")[:-1]  # with a blank, since a text may end with a quote
    return _whole(body, around, text)


def _whole(body: Body, node: cst.CSTNode, text: str) -> str:
    """The text, which must be one that C's printf can write."""
    if "\0" in text:
        body.refuse(node, unsupported.NULL_IN_TEXT)
    if any("\ud800" <= char <= "\udfff" for char in text):
        body.refuse(node, unsupported.SURROGATE_IN_TEXT)
        return ""
    return text


def _replacement(body: Body, node: cst.FormattedStringExpression) -> Iterator[Part]:
    """`{x}`, `{x:.3f}`, `{x=}`."""
    if node.conversion is not None:
        body.refuse(node, unsupported.CONVERSION)
    if node.equal is not None:
        spaced = (node.whitespace_before_expression, node.expression, node.whitespace_after_expression, node.equal)
        yield "".join(_CODE.code_for_node(each) for each in spaced)
    spec = ""
    for part in node.format_spec or ():
        if isinstance(part, cst.FormattedStringText):
            spec += part.value
        else:
            body.refuse(node, unsupported.NESTED_FORMAT)
    yield hir.Shown(expression(body, node.expression), spec, body.span(node.expression))


def _constant(body: Body, node: cst.BaseExpression, row: Row) -> str:
    """The text of a literal; anything else is refused as `row` says."""
    parts = list(_string(body, node)) if isinstance(node, _String) else None
    if parts is None or not all(isinstance(part, str) for part in parts):
        body.refuse(node, row)
        return ""
    return "".join(part for part in parts if isinstance(part, str))
