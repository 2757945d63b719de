"""Which parameters of a kernel or launcher must hold arrays apart, since a kernel that they reach may write one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transpile.ir import tir
from transpile.ir.walk import all_ops
from transpile.typing.types import Pointer


def parameters_apart(module: tir.Module, function: tir.Function) -> list[tuple[int, int]]:
    """The parameters, by position, whose arrays must not overlap."""
    if function.kind == "launcher":
        return sorted(set(_launched_together(module, function)))
    pointers = [place for place, each in enumerate(function.parameters) if each.is_pointer]
    return [] if function.alias else list(_conflicts(function, pointers, pointers))


def _launched_together(module: tir.Module, launcher: tir.Function) -> Iterator[tuple[int, int]]:
    """For each launch: the launcher's parameters that reach two pointers of the kernel, one of them written."""
    roots = _roots(launcher)
    for op in all_ops(launcher.body):
        if isinstance(op, tir.Launch):
            kernel = module.function(op.kernel)
            passed = [(place, each) for place, each in enumerate(kernel.parameters) if each.static is None]
            found = [
                (place, roots[value.id])
                for (place, parameter), value in zip(passed, op.arguments, strict=True)
                if parameter.is_pointer
            ]
            if not kernel.alias:
                yield from _conflicts(kernel, [root for _, root in found], [place for place, _ in found])


def _conflicts(kernel: tir.Function, roots: Sequence[int], pointers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of `roots`, the parameters that `pointers` of the kernel come from, where one is written through."""
    held = list(zip(roots, pointers, strict=True))
    for place, (first, one) in enumerate(held):
        for second, other in held[place + 1 :]:
            if not (_is_const(kernel, one) and _is_const(kernel, other)):
                yield min(first, second), max(first, second)


def _is_const(function: tir.Function, place: int) -> bool:
    kind = function.parameters[place].value.type
    return isinstance(kind, Pointer) and kind.const


def _roots(launcher: tir.Function) -> dict[int, int]:
    """The parameter, by position, that each pointer comes from: the checker lets no condition choose between two."""
    roots = {each.value.id: place for place, each in enumerate(launcher.parameters) if each.is_pointer}

    def flow(sources: Sequence[tir.Value], targets: Sequence[tir.Value]) -> None:
        for source, target in zip(sources, targets, strict=True):
            if source.id in roots:
                roots[target.id] = roots[source.id]

    def walk(block: tir.Block, results: Sequence[tir.Value]) -> None:
        for op in block.ops:
            match op:
                case tir.Offset():
                    flow((op.pointer,), (op.result,))
                case tir.If():
                    walk(op.then, op.results)
                    walk(op.orelse, op.results)
                case tir.For() | tir.While():
                    flow(op.inits, op.carried)
                    walk(op.body, op.carried)
                    flow(op.carried, op.results)
                case _:
                    pass
        if isinstance(block.end, tir.Yield):
            flow(block.end.values, results)

    walk(launcher.body, ())
    return roots
