"""Launches: in a launcher, a kernel run over a grid with its arguments converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from transpile import dtypes
from transpile.diagnostics import calls as faults
from transpile.diagnostics import generics
from transpile.dtypes import DType
from transpile.ir import hir, tir
from transpile.ir.generic import instantiate
from transpile.ir.tir import Value
from transpile.typing.context import Context
from transpile.typing.convert import is_argument
from transpile.typing.forms import LAUNCHER, Arguments, Form, Rule
from transpile.typing.operand import Operand
from transpile.typing.program import instance_key, static_parameters
from transpile.typing.types import Pointer

DIMENSIONS: Final = 3


def _launch(kind: hir.FunctionKind) -> Rule:
    """The rule of `tile.launch` or `cuda.launch`."""
    sizes = 1 if kind == "tile" else 2

    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        generic = _kernel(context, arguments[0], kind)
        words = ("grid", "block")[:sizes]
        shapes = [_sizes(context, arguments[1 + place], word) for place, word in enumerate(words)]
        rest = [argument for argument in arguments[1 + sizes :] if argument is not None]
        operands = [context.evaluate(argument) for argument in rest]
        if generic is None:
            return None
        if len(operands) != len(generic.parameters):
            context.report(faults.launch_count(node.span, generic, len(operands)))
            return None
        types = _types(context, generic, operands)
        if types is None:
            return None
        kernel = instantiate(generic, types)
        converted = _convert(context, kernel, operands)
        grid, block = shapes[0], shapes[1] if sizes > 1 else ()
        if converted is None or grid is None or block is None:
            return None
        statics = _statics(kernel, operands)
        if statics:
            context.program.want(kernel.key, statics)
        context.builder.span = node.span
        key = instance_key(kernel.key, (*types, *statics))
        context.builder.add(tir.Launch(key, grid, block, tuple(converted), node.span))
        return None

    return rule


def _kernel(context: Context, argument: hir.Expression | None, kind: hir.FunctionKind) -> hir.Function | None:
    """The kernel that is launched, if it is one of this dialect."""
    if not isinstance(argument, hir.FunctionName):
        if argument is not None and not isinstance(argument, hir.Poison):
            context.report(faults.launch_of_value(argument.span, kind))
        return None
    kernel = context.program.functions[argument.key]
    if kernel.kind != kind:
        context.report(faults.launch_kind(argument.span, kernel, kind))
        return None
    return kernel


def _sizes(context: Context, argument: hir.Expression | None, word: str) -> tuple[Value, ...] | None:
    """An int, or a tuple of up to three, as three i64 values."""
    if argument is None:
        return None
    items: Sequence[hir.Expression] = argument.items if isinstance(argument, hir.TupleExpression) else (argument,)
    if not 1 <= len(items) <= DIMENSIONS:
        context.report(faults.launch_dimensions(argument.span, word, len(items)))
        return None
    operands = [context.evaluate(item) for item in items]
    known = [operand for operand in operands if operand is not None]
    for operand in known:
        if operand.is_pointer or not (operand.dtype.is_integer):
            context.report(faults.launch_size(operand, word))
            return None
    if len(known) < len(operands):
        return None
    values = [context.index(operand) for operand in known]
    values += [context.builder.const(1, dtypes.I64) for _ in range(DIMENSIONS - len(values))]
    return tuple(values)


def _types(context: Context, kernel: hir.Function, operands: Sequence[Operand | None]) -> tuple[DType, ...] | None:
    """What the kernel's type variables are in this launch: the element types of its pointers."""
    chosen: dict[hir.TypeVariable, DType] = {}
    for operand, parameter in zip(operands, kernel.parameters, strict=True):
        annotation = parameter.annotation
        if not isinstance(annotation, hir.PointerAnnotation) or not isinstance(annotation.dtype, hir.TypeVariable):
            continue
        if operand is None:
            return None
        if not isinstance(operand.type, Pointer):
            context.report(faults.argument_kind(operand, parameter, kernel))
            return None
        variable, given = annotation.dtype, operand.dtype
        if given not in variable.choices:
            context.report(generics.argument_choice(operand.span, kernel.name, parameter.name, given, variable))
            return None
        if chosen.setdefault(variable, given) is not given:
            context.report(
                generics.argument_mismatch(
                    operand.span, kernel.name, parameter.name, given, variable.name, chosen[variable]
                )
            )
            return None
    return tuple(chosen[variable] for variable in kernel.variables)


def _convert(context: Context, kernel: hir.Function, operands: Sequence[Operand | None]) -> list[Value] | None:
    """The arguments in the types of the kernel's parameters, but for the static ones: the instance has their values."""
    static = {parameter.name for parameter in static_parameters(kernel)}
    values: list[Value] = []
    good = True
    for operand, parameter in zip(operands, kernel.parameters, strict=True):
        value = _convert_one(context, kernel, operand, parameter) if operand is not None else None
        good = good and value is not None
        if value is not None and parameter.name not in static:
            values.append(value)
    return values if good else None


def _convert_one(context: Context, kernel: hir.Function, operand: Operand, parameter: hir.Parameter) -> Value | None:
    match parameter.annotation:
        case hir.PointerAnnotation():
            return _pointer(context, kernel, operand, parameter, parameter.annotation)
        case hir.StaticAnnotation():
            if isinstance(operand.constant, int) and not isinstance(operand.constant, bool):
                return context.value(operand, dtypes.I64)
            context.report(faults.static_argument(operand, parameter, kernel))
            return None
        case hir.ScalarAnnotation():
            if not is_argument(context, operand, parameter, kernel):
                return None
            return context.value(operand, parameter.annotation.dtype)


def _pointer(
    context: Context,
    kernel: hir.Function,
    operand: Operand,
    parameter: hir.Parameter,
    annotation: hir.PointerAnnotation,
) -> Value | None:
    if not isinstance(operand.type, Pointer):
        context.report(faults.argument_kind(operand, parameter, kernel))
        return None
    if operand.dtype is not annotation.dtype:
        context.report(faults.pointer_argument_type(operand, parameter, kernel, annotation.dtype))
        return None
    if operand.type.const and not annotation.const:
        context.report(faults.const_argument(operand, parameter, kernel))
        return None
    return operand.value


def _statics(kernel: hir.Function, operands: Sequence[Operand | None]) -> tuple[int, ...]:
    names = {parameter.name for parameter in static_parameters(kernel)}
    return tuple(
        operand.constant
        for operand, parameter in zip(operands, kernel.parameters, strict=True)
        if parameter.name in names and operand is not None and isinstance(operand.constant, int)
    )


def _form(names: tuple[str, ...], kind: hir.FunctionKind) -> Form:
    advice = "leave it out: a launcher queues its kernels on the stream that its own caller gives as `stream=`"
    return Form(
        names,
        len(names),
        LAUNCHER,
        _launch(kind),
        gives_value=False,
        variadic=True,
        not_here=(("stream", advice),),
    )


FORMS: Final[Mapping[str, Form]] = {
    "tile.launch": _form(("kernel", "grid"), "tile"),
    "cuda.launch": _form(("kernel", "grid", "block"), "thread"),
}
