"""Calls: what is called, and its arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import libcst as cst

from transpile import dtypes
from transpile.diagnostics import mapped, names, signatures
from transpile.diagnostics.core import Diagnostic
from transpile.dtypes import DType
from transpile.frontend import unsupported
from transpile.frontend.annotations import dtype_of
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
from transpile.frontend.vocabulary import (
    ALLOCATIONS,
    ANNOTATIONS,
    KERNEL_DECORATORS,
    LAUNCHES,
    elsewhere,
    instead_of,
    instead_of_method,
)
from transpile.ir import hir

Convert = Callable[[Body, cst.BaseExpression], hir.Expression]
# Where a tuple may stand: the grid of tile.launch, the grid and block of cuda.launch, what native.store stores.
TUPLES: Final = {"tile.launch": (1,), "cuda.launch": (1, 2), "native.store": (1,)}
TUPLE_KEYWORDS: Final = frozenset({"grid", "block"})
FLOAT_WORDS: Final = frozenset({"inf", "-inf", "+inf", "infinity", "-infinity", "+infinity", "nan", "-nan", "+nan"})


def call(body: Body, node: cst.Call, convert: Convert) -> hir.Expression:
    """A call that may give a value; `convert` is `expressions.expression`."""
    if isinstance(node.func, cst.Subscript):
        return _allocation(body, node, node.func, convert)
    path = path_of(body, node.func)
    if path is None:
        if isinstance(node.func, cst.Attribute):
            return body.refuse(node, unsupported.METHOD, instead_of_method(node.func.attr.value))
        return body.refuse(node, unsupported.CALL_OF_CALL)
    callee = _callee(body, node, path, convert)
    if callee is None:
        return hir.Poison(body.span(node))
    if isinstance(callee, hir.LiteralNumber):
        return callee
    name = callee.name if isinstance(callee, hir.Intrinsic) else ""
    arguments = _arguments(body, node, name, convert)
    if any(argument.star for argument in node.args):
        return hir.Poison(body.span(node))
    return hir.Call(callee, arguments, body.span(node), body.span(node.func))


def _callee(body: Body, node: cst.Call, path: Path, convert: Convert) -> hir.Callee | hir.LiteralNumber | None:
    """What is called; a literal where the call itself is a constant; None where it was reported."""
    span, written = body.span(node), path.written
    match path.binding:
        case None if len(path.parts) > 1:
            body.refuse(node, unsupported.METHOD, hidden(body, path) or instead_of_method(path.parts[-1]))
        case None:
            body.report(names.not_callable(span, written, "a variable", instead=hidden(body, path)))
        case TypeName(dtype=dtype):
            return _conversion(body, node, path, dtype)
        case LanguageName(name="builtin.len"):
            return _length(body, node)
        case LanguageName(name="builtin.range"):
            body.refuse(node, unsupported.RANGE)
        case LanguageName(name=name) if name in ANNOTATIONS or name in KERNEL_DECORATORS or name in ALLOCATIONS:
            body.report(signatures.misplaced(span, written, name))
        case LanguageName(name=name):
            return hir.Intrinsic(name)
        case Definition() as definition:
            return _function(body, node.func, definition)
        case StaticName():
            body.report(names.not_callable(span, written, "a constant"))
        case Refused():
            pass
        case _:
            _report_host_call(body, node, path)
    return None


def _function(body: Body, node: cst.CSTNode, definition: Definition) -> hir.FunctionCallee | None:
    """A function of the program, which is now reached."""
    span = body.span(node)
    if definition.is_elsewhere and definition.kind != "device":
        body.report(names.kernel_elsewhere(span, definition.name, definition.source.name))
        return None
    body.reached.setdefault(definition.key, (definition, span))
    return hir.FunctionCallee(definition.key)


def _conversion(body: Body, node: cst.Call, path: Path, dtype: DType) -> hir.Callee | hir.LiteralNumber | None:
    """`float(x)`, `int(x)`, `bool(x)`; `float("inf")` is a literal."""
    if dtype not in dtypes.PYTHON.values() or len(path.parts) > 1:
        instead = f"a cast converts: `native.cast(x, {path.written})`"
        body.report(names.not_callable(body.span(node), path.written, "an element type", instead=instead))
        return None
    if dtype is dtypes.F64 and len(node.args) == 1 and isinstance(node.args[0].value, cst.SimpleString):
        word = ast.literal_eval(node.args[0].value.value)
        if isinstance(word, str) and word.strip().lower() in FLOAT_WORDS:
            return hir.LiteralNumber(float(word), body.span(node))
    return hir.Intrinsic(f"builtin.{dtypes.python_name(dtype)}")


def _length(body: Body, node: cst.Call) -> hir.LiteralNumber | None:
    """`len` of a constant tuple."""
    span = body.span(node)
    if len(node.args) == 1:
        argument = node.args[0].value
        path = path_of(body, argument)
        if path is not None and isinstance(path.binding, StaticName) and isinstance(path.binding.value, tuple):
            body.captured[f"len({path.written})"] = len(path.binding.value)
            return hir.LiteralNumber(len(path.binding.value), span)
        if isinstance(argument, cst.Tuple):
            return hir.LiteralNumber(len(argument.elements), span)
    body.refuse(node, unsupported.LEN)
    return None


def _report_host_call(body: Body, node: cst.Call, path: Path) -> None:
    span, written = body.span(node), path.written
    match path.binding:
        case Missing():
            body.report(undefined(path, path.binding, span, body.locals))
        case HostFunction(name=name, span=None) if name in unsupported.BUILTINS and len(path.parts) == 1:
            body.refuse(node, unsupported.BUILTINS[name])
        case HostFunction(span=defined):
            body.report(names.host_call(span, written, body.where, defined))
        case HostValue(what="a module") if len(path.parts) > 1:
            body.report(names.host_call(span, written, body.where, None, instead_of(path.parts[-1])))
        case HostValue(what="a class", span=defined):
            body.report(names.host_call(span, written, body.where, None))
        case HostValue() if len(path.parts) > 1:
            body.refuse(node, unsupported.METHOD, instead_of_method(path.parts[-1]))
        case HostValue(what=what):
            body.report(names.not_callable(span, written, what))
        case HostImport(module=module, name=name):
            body.report(names.host_import(span, name, module, body.where, elsewhere(name)))
        case ModuleName():
            body.report(names.not_callable(span, written, "a module"))
        case NotStatic(why=why, span=where):
            body.report(names.not_static(span, written, why, where))


def _allocation(body: Body, node: cst.Call, func: cst.Subscript, convert: Convert) -> hir.Expression:
    """`cuda.shared[T, N]()`, `cuda.shared[T, ROWS, COLS]()`, `native.stack_alloc[T](n)`, `cuda.device_alloc[T](n)`."""
    path = path_of(body, func.value)
    span = body.span(node)
    binding = path.binding if path is not None else None
    if isinstance(binding, Definition) and binding.kind in ("tile", "thread"):
        how = "tile.launch({}, grid, …)" if binding.kind == "tile" else "cuda.launch({}, grid, block, …)"
        return body.refuse(node, unsupported.CALL_OF_CALL, f"`{how.format(binding.name)}`")
    if not isinstance(binding, LanguageName):
        return body.refuse(node, unsupported.CALL_OF_CALL)
    if binding.name not in ALLOCATIONS:
        body.report(signatures.misplaced(span, path.written if path else "", binding.name))
        return hir.Poison(span)
    items = [element.slice.value for element in func.slice if isinstance(element.slice, cst.Index)]
    wanted = (2, 3) if binding.name == "cuda.shared" else (1,)
    if len(items) != len(func.slice) or len(items) not in wanted:
        body.report(signatures.allocation_form(body.span(func), binding.name))
        return hir.Poison(span)
    dtype = dtype_of(body, items[0])
    counts = tuple(convert(body, item) for item in items[1:])
    arguments = _arguments(body, node, binding.name, convert)
    if dtype is None or any(argument.star for argument in node.args):
        return hir.Poison(span)
    return hir.Call(hir.AllocCallee(binding.name, dtype, counts), arguments, span, body.span(func))


def _arguments(body: Body, node: cst.Call, name: str, convert: Convert) -> tuple[hir.Argument, ...]:
    arguments: list[hir.Argument] = []
    for place, argument in enumerate(node.args):
        span = body.span(argument.keyword if argument.keyword is not None else argument.value)
        keyword = argument.keyword.value if argument.keyword is not None else None
        if argument.star:
            value: hir.Expression = body.refuse(argument, unsupported.STAR_ARGUMENT)
        elif name == "tile.map" and place == 0 and (fault := _not_mapped(body, argument.value)) is not None:
            body.report(fault)
            value = hir.Poison(body.span(argument.value))
        else:
            takes_tuple = place in TUPLES.get(name, ()) or (name in LAUNCHES and keyword in TUPLE_KEYWORDS)
            value = _argument(body, argument.value, takes_tuple, convert)
        arguments.append(hir.Argument(keyword, value, span))
    return tuple(arguments)


def _not_mapped(body: Body, node: cst.BaseExpression) -> Diagnostic | None:
    """The fault of a function that is no device function in the place of one."""
    path = path_of(body, node)
    match path.binding if path is not None else None:
        case HostFunction(name=name):
            return mapped.map_of_function(body.span(node), name)
        case LanguageName() if path is not None:
            return mapped.map_of_operation(body.span(node), path.written)
        case _:
            return None


def _argument(body: Body, node: cst.BaseExpression, takes_tuple: bool, convert: Convert) -> hir.Expression:
    if takes_tuple and isinstance(node, cst.Tuple):
        return tuple_expression(body, node, convert)
    path = path_of(body, node)
    if path is not None and isinstance(path.binding, Definition):
        callee = _function(body, node, path.binding)
        return hir.FunctionName(callee.key, body.span(node)) if callee is not None else hir.Poison(body.span(node))
    return convert(body, node)


def tuple_expression(body: Body, node: cst.Tuple, convert: Convert) -> hir.Expression:
    """A tuple where one may stand."""
    items: list[hir.Expression] = []
    for element in node.elements:
        if isinstance(element, cst.StarredElement):
            items.append(body.refuse(element, unsupported.STAR_ITEM))
        elif isinstance(element.value, cst.Tuple):
            items.append(body.refuse(element.value, unsupported.NESTED_TUPLE))
        else:
            items.append(convert(body, element.value))
    return hir.TupleExpression(tuple(items), body.span(node))
