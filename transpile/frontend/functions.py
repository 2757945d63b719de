"""One function: its decorators and signature, then its body, as HIR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from transpile.diagnostics import generics, signatures, syntax
from transpile.diagnostics.core import InternalError, Sink
from transpile.diagnostics.described import kind_word
from transpile.frontend import unsupported
from transpile.frontend.annotations import annotation_of
from transpile.frontend.bindings import Definition, LanguageName
from transpile.frontend.body import Body, path_of
from transpile.frontend.outline import longest_line
from transpile.frontend.parse import Tree
from transpile.frontend.scope import local_names
from transpile.frontend.statements import function_body
from transpile.frontend.vocabulary import KERNEL_DECORATORS
from transpile.ir import hir
from transpile.ir.generic import pointed_to, variables_in
from transpile.source import SourceFile, Span

ParseLines = Callable[[SourceFile, int, int], Tree]
OPTIONS = ("alias", "fast_math")


@dataclass(frozen=True, slots=True)
class Converted:
    """`is_checkable`: enough of the signature is known to check the body. `is_callable`: enough to check calls of it.
    `reached`: what it calls, by key."""

    function: hir.Function
    is_checkable: bool
    is_callable: bool
    reached: dict[str, tuple[Definition, Span]]


def convert(definition: Definition, sink: Sink, parse_lines: ParseLines) -> Converted | None:
    """HIR of the function; None where its text cannot be read, which is reported."""
    try:
        tree = parse_lines(definition.source, definition.first, definition.last)
        return _convert(definition, tree, _function_in(tree, definition), sink)
    except RecursionError:
        sink.report(syntax.too_deep(longest_line(definition.source, definition.first, definition.last)))
        return None
    except cst.ParserSyntaxError as fault:
        line = definition.first + fault.raw_line - 1 - definition.source.line(definition.first).startswith((" ", "\t"))
        column = fault.raw_column + 1
        sink.report(syntax.not_read(Span(definition.source, line, column, line, column + 1)))
        return None


def _function_in(tree: Tree, definition: Definition) -> cst.FunctionDef:
    statement: cst.BaseStatement = tree.module.body[0]
    if isinstance(statement, cst.If) and isinstance(statement.body, cst.IndentedBlock):
        statement = statement.body.body[0]  # an indented function is parsed under `if True:`
    if not isinstance(statement, cst.FunctionDef) or statement.name.value != definition.name:
        raise InternalError("these lines hold no such function", definition)
    return statement


def _convert(definition: Definition, tree: Tree, node: cst.FunctionDef, sink: Sink) -> Converted:
    kind = definition.kind
    header = Body(tree=tree, namespace=definition.namespace, sink=Sink(), where=kind_word(kind))
    options = _options(header, node, kind)
    _refuse_forms(header, node)
    parameters = tuple(_parameters(header, node, kind))
    returns = _returns(header, node, kind)
    for diagnostic in header.sink:
        sink.report(diagnostic)
    local = local_names(tree, node)
    body = Body(tree=tree, namespace=definition.namespace, sink=sink, where=kind_word(kind), locals=local)
    names = {parameter.name for parameter in parameters}
    written = frozenset(_parameter_names(node))
    body.assigned.update(written)
    body.poisoned.update(written - names)
    body.has_refused_result = kind != "device" and _has_result(node)
    statements = function_body(body, node)
    start = tree.between(node.decorators[0], node) if node.decorators else tree.span(node)
    variables = pointed_to(parameters)
    unchosen = _report_unchosen(definition, tree.span(node.name), (parameters, returns, statements), variables, sink)
    function = hir.Function(
        key=definition.key,
        name=definition.name,
        kind=kind,
        parameters=parameters,
        returns=returns,
        body=statements,
        locals=tuple(name for name in local if name not in names),
        captured=tuple(body.captured.items()),
        types=tuple({**header.types, **body.types}.items()),
        variables=variables,
        alias=options["alias"],
        fast_math=options["fast_math"],
        span=start,
        name_span=tree.span(node.name),
    )
    is_checkable = not unchosen and (kind != "device" or returns is not None)
    return Converted(function, is_checkable, is_checkable and written == names, body.reached)


def _report_unchosen(
    definition: Definition, span: Span, parts: object, known: tuple[hir.TypeVariable, ...], sink: Sink
) -> bool:
    """Reports a type variable that nothing chooses. True if there is one."""
    for variable in variables_in(parts):
        if definition.kind == "device":
            sink.report(generics.in_device_function(span, variable.name))
            return True
        if variable not in known:
            sink.report(generics.unchosen(span, definition.name, variable.name))
            return True
    return False


# ---------------------------------------------------------------- decorators


def _options(body: Body, node: cst.FunctionDef, kind: hir.FunctionKind) -> dict[str, bool]:
    options = dict.fromkeys(OPTIONS, False)
    has_own = False
    for decorator in node.decorators:
        called = decorator.decorator
        path = path_of(body, called.func if isinstance(called, cst.Call) else called)
        binding = path.binding if path is not None else None
        if has_own or path is None or not isinstance(binding, LanguageName) or binding.name not in KERNEL_DECORATORS:
            body.refuse(decorator, unsupported.DECORATOR)
            continue
        has_own = True
        if isinstance(called, cst.Call):
            _read_options(body, called, binding.name, options, allows=kind != "device")
    return options


def _read_options(body: Body, call: cst.Call, decorator: str, options: dict[str, bool], *, allows: bool) -> None:
    for argument in call.args:
        keyword = argument.keyword.value if argument.keyword is not None else ""
        is_word = isinstance(argument.value, cst.Name) and argument.value.value in ("True", "False")
        if not allows or keyword not in options or not is_word:
            body.report(signatures.decorator_form(body.span(argument), decorator, allows))
        elif isinstance(argument.value, cst.Name):
            options[keyword] = argument.value.value == "True"
    if not call.args and not allows:
        body.report(signatures.decorator_form(body.span(call), decorator, allows))


# ---------------------------------------------------------------- the signature


def _refuse_forms(body: Body, node: cst.FunctionDef) -> None:
    """Forms of a `def` that Python has and compiled functions have not."""
    parameters = node.params
    if node.asynchronous is not None:
        body.refuse(node.asynchronous, unsupported.ASYNC_DEF)
    if node.type_parameters is not None:
        body.refuse(node.type_parameters, unsupported.TYPE_PARAMETERS)
    for parameter in parameters.posonly_params:
        body.refuse(parameter, unsupported.POSITIONAL_ONLY)
    for parameter in parameters.kwonly_params:
        body.refuse(parameter, unsupported.KEYWORD_ONLY)
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            body.refuse(star, unsupported.STAR_PARAMETER)
    for parameter in (*parameters.posonly_params, *parameters.params):
        if parameter.default is not None:
            body.refuse(parameter.default, unsupported.DEFAULT)


def _parameter_names(node: cst.FunctionDef) -> Iterator[str]:
    parameters = node.params
    for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        yield parameter.name.value
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            yield star.name.value


def _parameters(body: Body, node: cst.FunctionDef, kind: hir.FunctionKind) -> Iterator[hir.Parameter]:
    for parameter in (*node.params.posonly_params, *node.params.params):
        span = body.span(parameter.name)
        name = parameter.name.value
        if parameter.annotation is None:
            body.report(signatures.missing_annotation(span, name, body.where))
            continue
        annotation = annotation_of(body, parameter.annotation.annotation, allows_pointers=True)
        if annotation is None:
            continue
        if kind == "device" and not isinstance(annotation, hir.ScalarAnnotation):
            body.report(signatures.device_parameter(span, name))
            continue
        yield hir.Parameter(name=name, annotation=annotation, span=span)


def _has_result(node: cst.FunctionDef) -> bool:
    """Whether something other than None stands after `->`."""
    annotation = node.returns.annotation if node.returns is not None else None
    return annotation is not None and not (isinstance(annotation, cst.Name) and annotation.value == "None")


def _returns(body: Body, node: cst.FunctionDef, kind: hir.FunctionKind) -> hir.ScalarAnnotation | None:
    annotation = node.returns.annotation if node.returns is not None else None
    if kind != "device":
        if annotation is not None and _has_result(node):
            body.report(signatures.kernel_returns(body.span(annotation), body.where))
        return None
    if annotation is None or not _has_result(node):
        body.report(signatures.device_returns(body.span(node.name), node.name.value))
        return None
    result = annotation_of(body, annotation, allows_pointers=False)
    return result if isinstance(result, hir.ScalarAnnotation) else None
