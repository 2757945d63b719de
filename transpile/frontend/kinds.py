"""Which kind of function a `def` is: by its decorator, or for a launcher by its signature and what it does."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from transpile.diagnostics import names
from transpile.diagnostics.core import Sink
from transpile.frontend.bindings import Binding, LanguageName, Missing, ModuleName, Namespace, TypeName
from transpile.frontend.body import resolve
from transpile.frontend.outline import FunctionNode, span_of
from transpile.frontend.vocabulary import DIALECTS, KERNEL_DECORATORS, LAUNCHES
from transpile.ir import hir
from transpile.source import SourceFile


@dataclass(frozen=True, slots=True)
class StaysPython:
    """Not compiled; `why` completes "Python: …"."""

    why: str


def kind_of(node: FunctionNode, namespace: Namespace) -> hir.FunctionKind | StaysPython:
    """The kind of a function at the top level of its file."""
    kind = decorated_kind(node, namespace)
    if kind is not None:
        return kind
    if node.decorator_list:
        return StaysPython("it has a decorator")
    return _launcher_or_python(node, namespace)


def decorated_kind(node: FunctionNode, namespace: Namespace) -> hir.FunctionKind | None:
    """The kind that a decorator of the language gives."""
    for decorator in node.decorator_list:
        match _meaning(_called(decorator), namespace):
            case LanguageName(name=name) if name in KERNEL_DECORATORS:
                return KERNEL_DECORATORS[name]
    return None


def report_unknown_decorators(node: FunctionNode, namespace: Namespace, source: SourceFile, sink: Sink) -> bool:
    """Reports `@tile.kernal`: a decorator that the language should have but has not. True if there was one."""
    found = False
    for decorator in node.decorator_list:
        parts = _parts(_called(decorator))
        binding = _meaning(_called(decorator), namespace)
        if len(parts) > 1 and isinstance(binding, Missing) and _is_of_language(parts[:-1], namespace):
            near = tuple(name for name in binding.near if f"{parts[-2]}.{name}" in KERNEL_DECORATORS) or binding.near
            sink.report(
                names.undefined_member(
                    span_of(source, decorator), ".".join(parts[:-1]), parts[-1], near, binding.instead
                )
            )
            found = True
    return found


def _is_of_language(parts: tuple[str, ...], namespace: Namespace) -> bool:
    binding = resolve(namespace, parts, {})
    return isinstance(binding, ModuleName) and binding.path in DIALECTS


def _launcher_or_python(node: FunctionNode, namespace: Namespace) -> hir.FunctionKind | StaysPython:
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    has_pointer = False
    for parameter in parameters:
        is_pointer = _is_pointer(parameter.annotation, namespace)
        has_pointer = has_pointer or is_pointer
    if not has_pointer:
        return StaysPython("it has no pointer parameter")
    for parameter in parameters:
        if not (_is_pointer(parameter.annotation, namespace) or _is_scalar(parameter.annotation, namespace)):
            return StaysPython(f"its parameter '{parameter.arg}' is not annotated as a scalar or a pointer")
    if arguments.vararg is not None or arguments.kwarg is not None:
        return StaysPython("it takes any number of arguments")
    if not (isinstance(node.returns, ast.Constant) and node.returns.value is None):
        return StaysPython("it is not annotated -> None")
    if not any(_is_launch(inner, namespace) for inner in ast.walk(node)):
        return StaysPython("it launches no kernel")
    return "launcher"


def _is_pointer(node: ast.expr | None, namespace: Namespace) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    return _meaning(node.value, namespace) in (LanguageName("native.ptr"), LanguageName("native.const_ptr"))


def _is_scalar(node: ast.expr | None, namespace: Namespace) -> bool:
    return node is not None and isinstance(_meaning(node, namespace), TypeName)


def _is_launch(node: ast.AST, namespace: Namespace) -> bool:
    match node:
        case ast.Call(func=function):
            binding = _meaning(function, namespace)
            return isinstance(binding, LanguageName) and binding.name in LAUNCHES
    return False


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _meaning(node: ast.expr, namespace: Namespace) -> Binding | None:
    parts = _parts(node)
    return resolve(namespace, parts, {}) if parts else None


def _parts(node: ast.expr) -> tuple[str, ...]:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()
