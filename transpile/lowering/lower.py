"""TIR to KIR, function by function: the driver of the lowering. Tile kernels pass through LIR first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from transpile.backends.backend import Backend
from transpile.diagnostics.core import InternalError
from transpile.ir import kir, tir
from transpile.lowering.declare import declare_variables
from transpile.lowering.expressions import Callee, Expressions
from transpile.lowering.facts import gather
from transpile.lowering.inline import Style, plan_function
from transpile.lowering.merge import merge_instances
from transpile.lowering.names import Names, symbol
from transpile.lowering.prune import prune_function
from transpile.lowering.ranges import ranges
from transpile.lowering.rename import rename_variables
from transpile.lowering.scalarise import scalarise
from transpile.lowering.structure import Structure
from transpile.lowering.thread_slots import Split
from transpile.lowering.threads import split_threads
from transpile.lowering.variables import assign_variables
from transpile.typing.types import Scalar, Tile


def lower_module(module: tir.Module, backend: Backend) -> kir.Module:
    """Everything of `module` as what one thread of `backend` does, and what the host does to launch it."""
    names = Names(_spelled(backend))
    names.add(symbol(module.stem, function.key) for function in module.functions if function.kind != "device")
    calls: dict[str, Callee] = {}
    spelled = {function.key: names.function(function.name) for function in module.functions}
    templates = {base: names.function(base.rpartition(".")[2]) for base in _several(module)}
    functions: list[kir.Function] = []
    launchers: list[kir.Launcher] = []
    for function in module.functions:
        scope = _Scope(spelled[function.key], names, calls, backend)
        if function.kind == "launcher":
            launchers.append(scope.launcher(function))
            continue
        functions.append(scope.function(function))
        if isinstance(function.result, Scalar):
            calls[function.key] = Callee(name=spelled[function.key], result=function.result.dtype)

    def name_for(base: str) -> str:
        return templates.pop(base, "") or names.function(base.rpartition(".")[2])

    merged = merge_instances(functions, name_for, backend.shared_plain)
    return kir.Module(stem=module.stem, functions=merged, launchers=tuple(launchers))


def _several(module: tir.Module) -> list[str]:
    """The kernels that have more than one instance."""
    counts = Counter(function.base for function in module.functions if function.is_kernel)
    return [base for base, count in counts.items() if count > 1]


def _spelled(backend: Backend) -> Iterator[str]:
    """What the text of `backend` calls the places of programs and threads."""
    for _, name in backend.spelling.places:
        yield name
        yield from (f"{name}_{axis}" for axis in "xyz")


@dataclass(frozen=True, slots=True)
class _Scope:
    """Lowers one function, which is called `name` among `names`."""

    name: str
    names: Names
    calls: Mapping[str, Callee]
    backend: Backend

    def function(self, function: tir.Function) -> kir.Function:
        splits = function.kind == "thread" and not self.backend.is_gpu
        if splits:
            function = scalarise(function)
        threads, held = None, 0
        if function.kind == "tile":
            from transpile.lowering.tiles import lower_tiles

            kernel = lower_tiles(function, self.backend)
            function, threads, held = kernel.function, kernel.threads, kernel.held
        lowered = _lower_body(function, Style(shuffles_apart=splits), self.calls, self.names, splits=splits)
        if function.kind == "launcher":
            raise InternalError("a launcher is no function of the device", function.key)
        return kir.Function(
            key=function.key,
            name=self.name,
            base=function.base,
            kind=function.kind,
            parameters=lowered.parameters,
            result=function.result if isinstance(function.result, Scalar) else None,
            body=lowered.body,
            threads=threads,
            summary=_summary(threads, held) if self.backend.is_gpu and threads is not None else "",
            uses_shuffles=function.uses_shuffles,
            needs_group_rows=function.needs_group_rows,
            fast_math=function.fast_math,
            types=function.types,
            variables=function.variables,
            span=function.span,
        )

    def launcher(self, function: tir.Function) -> kir.Launcher:
        lowered = _lower_body(function, Style(checked=True), self.calls, self.names, splits=False)
        return kir.Launcher(
            key=function.key, name=self.name, parameters=lowered.parameters, body=lowered.body, span=function.span
        )


@dataclass(frozen=True, slots=True)
class _Body:
    parameters: tuple[kir.Parameter, ...]
    body: tuple[kir.Stmt, ...]


def _lower_body(
    function: tir.Function, style: Style, calls: Mapping[str, Callee], names: Names, *, splits: bool
) -> _Body:
    """`splits`: the function's threads are walked by one (the CPU)."""
    statics = frozenset(parameter.name for parameter in function.parameters if parameter.static is not None)
    style = replace(style, statics=statics)
    pruned = prune_function(function)
    known = ranges(pruned)
    plan = plan_function(gather(pruned), style)
    variables = assign_variables(plan, pruned, share_names=not splits)
    structure = Structure(Expressions(plan=plan, variables=variables, ranges=known, calls=calls), style)
    statements = structure.function(pruned.body)
    hints = structure.hints
    split = Split(statements, structure.variables, {})
    if splits:
        split = split_threads(statements, structure.variables, hints)
    statements = declare_variables(split.body, split.variables, split.slots)
    inner = names.inner()
    parameters, given = _parameters(function, structure, inner)
    body = rename_variables(statements, hints, inner, given)
    return _Body(parameters, body)


def _parameters(
    function: tir.Function, structure: Structure, names: Names
) -> tuple[tuple[kir.Parameter, ...], dict[str, str]]:
    """The parameters in KIR, and their names by placeholder."""
    parameters: list[kir.Parameter] = []
    given: dict[str, str] = {}
    for parameter in function.parameters:
        kind = parameter.value.type
        if isinstance(kind, Tile):
            raise InternalError("a parameter is no tile", parameter)
        name = names.variable(parameter.name)
        given[structure.expressions.variable(parameter.value).name] = name
        restrict = parameter.is_pointer and not function.alias and function.is_kernel
        parameters.append(kir.Parameter(var=kir.Var(name, kind), static=parameter.static, restrict=restrict))
    return tuple(parameters), given


def _summary(threads: int, held: int) -> str:
    """What one program is, for readers of the output."""
    if held == 0:
        return f"One program is {threads} threads." if threads > 1 else "One program is one thread."
    lanes = "1 lane" if held == 1 else f"up to {held} lanes"
    return f"One program is {threads} threads with {lanes} each."
