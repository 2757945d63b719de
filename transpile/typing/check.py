"""HIR to TIR: types every function of a module, and reports all faults to the sink. The module that it gives is
meaningful only if there were none. Generic functions and those with static parameters are checked once for each
instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from transpile.diagnostics import calls, flow, generics, syntax
from transpile.diagnostics.core import InternalError, Sink
from transpile.dtypes import I64, DType
from transpile.ir import hir, tir
from transpile.ir.builder import Builder
from transpile.ir.generic import every_choice, instantiate, variables_in
from transpile.typing.bindings import bind
from transpile.typing.context import Context
from transpile.typing.expressions import check_expression
from transpile.typing.operand import Operand
from transpile.typing.program import Instance, Program, instance_key, static_parameters
from transpile.typing.prune import prune_block
from transpile.typing.reports import place_reports
from transpile.typing.statements import check_block
from transpile.typing.types import Pointer, Scalar, Type
from transpile.typing.uniformity import check_uniformity
from transpile.typing.variables import Variables

PASSES_PER_NAME: Final = 9  # a type grows at most this often: bool, weak int, weak float, i8, i32, i64, f16, f32, f64


def check_module(
    module: hir.Module,
    sink: Sink,
    instances: Mapping[str, Sequence[Instance]] | None = None,
    *,
    asserts: bool = True,
) -> tir.Module:
    """The typed program. `instances` gives values for static parameters, beside those met in launchers, each for all
    types of a generic function unless they begin with the types. `asserts`: False leaves the asserts out, once they
    are checked."""
    program = Program.of(module, instances or {})
    order: dict[hir.FunctionKind, int] = {"device": 0, "tile": 1, "thread": 1, "launcher": 2}
    functions = sorted(module.functions, key=lambda function: order[function.kind])
    checked: dict[str, list[tir.Function]] = {}
    for function in sorted(functions, key=lambda function: bool(static_parameters(function))):
        checked[function.key] = list(_checked_instances(program, function, sink))
    typed = [each for function in functions for each in checked[function.key]]
    return tir.Module(stem=module.stem, functions=place_reports(typed, sink, asserts=asserts))


def _checked_instances(program: Program, function: hir.Function, sink: Sink) -> Iterator[tir.Function]:
    """The typed instances. Those of a generic function are alike: where one changes the type of a float, all cast."""
    found: dict[tuple[int, ...], list[_Checked]] = {}
    for types, statics in _instances(program, function, sink):
        checked = _check_instance(program, function, types, statics, sink)
        if checked is not None:
            found.setdefault(statics, []).append(checked)
        if sink.has_errors and function.variables:
            break  # the same faults again, of other types
    for statics, group in found.items():
        casts = [checked.casts for checked in group]
        wanted: frozenset[int] = frozenset()
        if len({len(each) for each in casts}) == 1:
            wanted = frozenset(place for place, made in enumerate(zip(*casts, strict=True)) if any(made))
        for checked in group:
            again = None
            if any(not checked.casts[place] for place in wanted) and not sink.has_errors:
                again = _check_instance(program, function, checked.typed.types, statics, sink, wanted)
            yield (again or checked).typed


@dataclass(frozen=True, slots=True)
class _Checked:
    """An instance, and which of its casts change the type of a float."""

    typed: tir.Function
    casts: Sequence[bool]


def _instances(program: Program, function: hir.Function, sink: Sink) -> list[tuple[tuple[DType, ...], tuple[int, ...]]]:
    """The types and the values of static parameters to check for: one pair of empty tuples where there are neither."""
    variables, wanted = len(function.variables), len(static_parameters(function))
    choices = every_choice(function)
    found: set[tuple[tuple[DType, ...], tuple[int, ...]]] = set()
    for values in program.instances.get(function.key, set()) if wanted or variables else ():
        types = tuple(value for value in values if isinstance(value, DType))
        statics = tuple(value for value in values if isinstance(value, int))
        if len(statics) != wanted:
            sink.report(calls.instance_values(function, wanted))
            continue
        found.update((each, statics) for each in ([types] if types else choices))
    if not found and not wanted:
        found.update((each, ()) for each in choices)
    return sorted(found, key=lambda pair: (choices.index(pair[0]), pair[1]))


def _check_instance(
    program: Program,
    function: hir.Function,
    types: tuple[DType, ...],
    statics: tuple[int, ...],
    sink: Sink,
    forced: frozenset[int] = frozenset(),
) -> _Checked | None:
    """The typed function, None if it is nested too deeply; its faults go to the sink."""
    try:
        context, typed = settle(program, function, types, statics, forced)
        typed = check_uniformity(typed, context.sink)
    except RecursionError:
        sink.report(syntax.too_deep(function.name_span))
        return None
    for diagnostic in context.sink:
        sink.report(generics.in_instance(diagnostic, function.variables, types))
    return _Checked(typed, context.builder.casts)


def settle(
    program: Program,
    function: hir.Function,
    types: tuple[DType, ...] = (),
    statics: tuple[int, ...] = (),
    forced: frozenset[int] = frozenset(),
) -> tuple[Context, tir.Function]:
    """Checks until no variable's type grows; the last pass's context and result count. `forced` is for the builder."""
    chosen = instantiate(function, types)
    variables = Variables()
    strict = False
    for _ in range(PASSES_PER_NAME * (len(function.locals) + len(function.parameters)) + 2):
        variables.changed = False
        context = Context(
            function=chosen,
            program=program,
            sink=Sink(),
            variables=variables,
            builder=Builder(forced=forced),
            evaluate_expression=check_expression,
            evaluate_block=check_block,
            strict=strict,
        )
        typed = _check_once(context, function, types, statics)
        if variables.changed:
            continue
        if not context.assumed or strict:
            return context, typed
        strict = True
        variables.settle()
    raise InternalError("the types of a function do not settle", function.key)


def _check_once(
    context: Context, generic: hir.Function, types: tuple[DType, ...], statics: tuple[int, ...]
) -> tir.Function:
    """The function of the context, an instance of `generic`."""
    function = context.function
    with context.collected() as ops:
        parameters = _parameters(context, generic, statics)
        context.parameters = tuple(parameter.value for parameter in parameters)
        check_block(context, function.body)
        if context.env is not None:
            if function.kind == "device" and function.returns is not None:
                context.report(flow.missing_return(function))
            context.leave(tir.Return())
    end = context.end if context.end is not None else tir.Return()
    body = tir.Block(tuple(ops), end)
    return tir.Function(
        key=instance_key(function.key, (*types, *statics)),
        name=instance_key(function.name, (*types, *statics)),
        base=function.key,
        kind=function.kind,
        parameters=parameters,
        result=Scalar(function.returns.dtype) if function.returns is not None else None,
        body=body if context.sink.has_errors else prune_block(body),
        alias=function.alias,
        fast_math=function.fast_math,
        types=types,
        variables=tuple(each.name for each in generic.variables),
        narrowest=tuple(min(each.choices, key=lambda choice: choice.bits) for each in generic.variables),
        captured=function.captured,
        span=function.span,
    )


def _parameters(context: Context, generic: hir.Function, statics: tuple[int, ...]) -> tuple[tir.Parameter, ...]:
    """Binds each parameter, already of the type that its variable grew to."""
    remaining = list(statics)
    parameters: list[tir.Parameter] = []
    bound: list[tuple[hir.Parameter, Operand]] = []
    for parameter, declared in zip(context.function.parameters, generic.parameters, strict=True):
        kind, weak = _parameter_type(parameter.annotation)
        fixed = remaining.pop(0) if isinstance(parameter.annotation, hir.StaticAnnotation) else None
        context.builder.span = parameter.span
        value = context.builder.fresh(kind, parameter.name)
        variable = next((generic.variables.index(each) for each in variables_in(declared)), None)
        parameters.append(tir.Parameter(value=value, static=fixed, variable=variable, span=parameter.span))
        context.variables.declare(parameter.name, kind, parameter.span, weak=weak)
        root = value if isinstance(kind, Pointer) else None
        operand = Operand(type=kind, span=parameter.span, value=value, weak=weak, constant=fixed, root=root)
        bound.append((parameter, operand))
    for parameter, operand in bound:
        bind(context, parameter.name, operand, parameter.span)
    return tuple(parameters)


def _parameter_type(annotation: hir.Annotation) -> tuple[Type, bool]:
    """The type of a parameter, and whether it is weak: a Python `float` is, and a static one is a constant."""
    match annotation:
        case hir.ScalarAnnotation():
            return Scalar(annotation.dtype), annotation.python and annotation.dtype.is_float
        case hir.PointerAnnotation():
            return Pointer(annotation.dtype, annotation.const), False
        case hir.StaticAnnotation():
            return Scalar(I64), True
