"""Which functions of a module a text holds, and which of them the host calls, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from transpile.emit.walk import all_exprs
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts


def reachable(module: kir.Module) -> tuple[kir.Function, ...]:
    """The kernels and the device functions that they or launchers call, in the module's order."""
    kernels = [function for function in module.functions if function.kind != "device"]
    bodies = [*(function.body for function in kernels), *(launcher.body for launcher in module.launchers)]
    found = {function.name for function in kernels} | _called(module, bodies)
    return tuple(function for function in module.functions if function.name in found)


def called_by_host(module: kir.Module) -> frozenset[str]:
    """The names of the device functions that launchers reach."""
    return frozenset(_called(module, [launcher.body for launcher in module.launchers]))


def definitions(functions: Iterable[kir.Function]) -> tuple[kir.Function, ...]:
    """What is written for `functions`: instances of one template are that, once."""
    return tuple({each.name: each for each in (function.template or function for function in functions)}.values())


def asserts(module: kir.Module) -> bool:
    """Whether a text of the module holds assertions."""
    return any(isinstance(stmt, kir.Assert) for each in reachable(module) for stmt in all_stmts(each.body))


def _called(module: kir.Module, bodies: Iterable[Sequence[kir.Stmt]]) -> set[str]:
    by_name: Mapping[str, kir.Function] = {function.name: function for function in module.functions}
    found: set[str] = set()
    waiting = list(bodies)
    while waiting:
        for expr in all_exprs(waiting.pop()):
            if isinstance(expr, kir.Call) and expr.function not in found:
                found.add(expr.function)
                waiting.append(by_name[expr.function].body)
    return found
