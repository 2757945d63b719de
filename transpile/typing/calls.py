"""Calls: binds arguments to the signature of an intrinsic and runs its rule, or converts them for a device function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from transpile.diagnostics import calls as faults
from transpile.diagnostics import mapped
from transpile.diagnostics import typing as type_faults
from transpile.diagnostics.core import InternalError
from transpile.dtypes import DType
from transpile.ir import hir
from transpile.ir.tir import Value
from transpile.source import Span
from transpile.typing import atomics, elements, functions, launch, memory, power, threads
from transpile.typing.context import Context
from transpile.typing.convert import is_argument
from transpile.typing.elementwise import NoShape, join_shapes
from transpile.typing.forms import TILE, Arguments, Form, bind
from transpile.typing.operand import Operand


def check_call(context: Context, node: hir.Call) -> Operand | None:
    """A call that must give one value."""
    match node.callee:
        case hir.AllocCallee():
            return memory.check_alloc(context, node, node.callee)
        case hir.FunctionCallee():
            return check_function_call(context, node, context.program.functions[node.callee.key])
    form = _form(context, node, node.callee.name)
    if form is None:
        return None
    if not form.gives_value:
        context.report(type_faults.no_value(node.span, node.callee.name))
        return None
    arguments = bind(context, node, node.callee.name, form)
    return None if arguments is None else form.rule(context, node, arguments)


def check_call_statement(context: Context, node: hir.Call) -> None:
    """A call as a statement: its value, if any, is dropped."""
    if isinstance(node.callee, hir.Intrinsic):
        form = _form(context, node, node.callee.name)
        if form is None:
            return
        if not form.gives_value:
            arguments = bind(context, node, node.callee.name, form)
            if arguments is not None:
                form.rule(context, node, arguments)
            return
        if node.callee.name == "builtin.divmod":
            check_divmod(context, node)
            return
    context.evaluate(node)


def _form(context: Context, node: hir.Call, name: str) -> Form | None:
    """The form of an intrinsic, if it may stand in this kind of function."""
    form = FORMS.get(name)
    if form is None:
        context.report(faults.not_in_kernels(node.callee_span, name, context.function.kind))
        return None
    if context.function.kind not in form.kinds:
        here = _spelled_here(name, context.function.kind)
        context.report(faults.wrong_dialect(node.callee_span, name, context.function.kind, form.kinds, here))
        return None
    return form


def _spelled_here(name: str, kind: hir.FunctionKind) -> str:
    """The same operation as a function of this kind has it; empty where it has none. (The builtins `max` and `min`
    are no folds.)"""
    last = name.rpartition(".")[2]
    modules = ("native", "math", "cuda", "tile", *(("builtin",) if last not in ("max", "min") else ()))
    names = (f"{module}.{last}" for module in modules)
    found = next((each for each in names if each in FORMS and kind in FORMS[each].kinds), "")
    return found.removeprefix("builtin.")


def check_divmod(context: Context, node: hir.Call) -> tuple[Operand | None, Operand | None]:
    """The two results of `divmod`."""
    form = FORMS["builtin.divmod"]
    arguments = bind(context, node, "builtin.divmod", form)
    if arguments is None:
        return None, None
    return functions.divmod_results(context, node, arguments)


def check_load_several(context: Context, node: hir.Call) -> list[Operand | None] | None:
    """The values of a load of several neighbours."""
    return None if _form(context, node, "native.load") is None else elements.load_several(context, node)


# ---------------------------------------------------------------- functions of the program


def check_function_call(context: Context, node: hir.Call, callee: hir.Function) -> Operand | None:
    """A device function on scalars, or lane by lane on tiles."""
    if callee.kind != "device":
        context.report(faults.call_of_kind(node.span, callee, context.function.kind))
        for argument in node.arguments:
            context.evaluate(argument.value)
        return None
    names = tuple(parameter.name for parameter in callee.parameters)
    form = Form(names, len(names), frozenset(), functions.no_rule)
    arguments = bind(context, node, callee.name, form)
    return None if arguments is None else call_device(context, node.span, callee, arguments)


def call_device(
    context: Context, span: Span, callee: hir.Function, arguments: Sequence[hir.Expression | None]
) -> Operand | None:
    """The Call of `callee`, its arguments converted and broadcast."""
    operands = [context.evaluate(argument) for argument in arguments if argument is not None]
    known = [operand for operand in operands if operand is not None]
    if callee.returns is None or not all(isinstance(p.annotation, hir.ScalarAnnotation) for p in callee.parameters):
        return None  # its signature was reported
    fits = [
        is_argument(context, operand, parameter, callee)
        for operand, parameter in zip(operands, callee.parameters, strict=True)
        if operand is not None
    ]
    if len(known) < len(operands) or not all(fits):
        return None
    shape = join_shapes(context, callee.name, known)
    if isinstance(shape, NoShape):
        return None
    context.builder.span = span
    values: list[Value] = []
    for operand, parameter in zip(known, callee.parameters, strict=True):
        values.append(context.shaped(context.value(operand, _scalar_dtype(parameter)), shape))
    result = context.builder.call(callee.key, callee.returns.dtype, values)
    return Operand(type=result.type, span=span, value=result)


def _scalar_dtype(parameter: hir.Parameter) -> DType:
    if not isinstance(parameter.annotation, hir.ScalarAnnotation):
        raise InternalError("a device function takes scalars", parameter)
    return parameter.annotation.dtype


def _map(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    """`tile.map(f, …)`: the same as calling `f`."""
    function = arguments[0]
    if not isinstance(function, hir.FunctionName):
        if function is not None and not isinstance(function, hir.Poison):
            context.report(mapped.map_of_value(function.span))
        return None
    callee = context.program.functions[function.key]
    if callee.kind != "device":
        context.report(faults.call_of_kind(function.span, callee, context.function.kind))
        return None
    rest = [argument for argument in arguments[1:] if argument is not None]
    if len(rest) != len(callee.parameters):
        context.report(mapped.map_count(node.span, callee, len(rest)))
        return None
    return call_device(context, node.span, callee, rest)


FORMS: Final[Mapping[str, Form]] = {
    **functions.FORMS,
    **power.FORMS,
    **memory.FORMS,
    **elements.FORMS,
    **atomics.FORMS,
    **threads.FORMS,
    **launch.FORMS,
    "tile.map": Form(("f",), 1, TILE, _map, variadic=True),
}
