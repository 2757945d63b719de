"""The signature of an intrinsic, and how the arguments of a call meet it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from transpile.diagnostics import calls as faults
from transpile.ir import hir
from transpile.typing.context import Context
from transpile.typing.operand import Operand

Arguments: TypeAlias = "Sequence[hir.Expression | None]"
Rule: TypeAlias = "Callable[[Context, hir.Call, Arguments], Operand | None]"
Kinds: TypeAlias = "frozenset[hir.FunctionKind]"

TILE: Final[Kinds] = frozenset(("tile",))
THREAD: Final[Kinds] = frozenset(("thread",))
KERNELS: Final[Kinds] = frozenset(("tile", "thread"))
LAUNCHER: Final[Kinds] = frozenset(("launcher",))
POINTERS: Final[Kinds] = frozenset(("tile", "thread", "launcher"))
ON_DEVICE: Final[Kinds] = frozenset(("tile", "thread", "device"))
ANYWHERE: Final[Kinds] = frozenset(("tile", "thread", "device", "launcher"))


@dataclass(frozen=True, slots=True)
class Form:
    """`names`: the parameters, the first `required` of them needed; more positional ones only where `variadic`.
    `not_here` says of keywords that Python takes what is to be written in compiled code instead."""

    names: tuple[str, ...]
    required: int
    kinds: Kinds
    rule: Rule
    gives_value: bool = True
    variadic: bool = False
    not_here: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The parameters, as a signature has them."""
        return (*self.names, "*args") if self.variadic else self.names


def bind(context: Context, node: hir.Call, name: str, form: Form) -> list[hir.Expression | None] | None:
    """The argument for each name of the form (None: absent), then the variadic ones; reports what does not meet it."""
    name = name.removeprefix("builtin.")
    bound: list[hir.Expression | None] = [None] * len(form.names)
    extra: list[hir.Expression | None] = []
    good = True
    for place, argument in enumerate(node.arguments):
        if argument.keyword is None:
            if place < len(form.names):
                bound[place] = argument.value
            elif form.variadic:
                extra.append(argument.value)
            else:
                context.report(faults.too_many_arguments(argument.span, name, form.names, len(node.arguments)))
                good = False
                break
        elif argument.keyword not in form.names:
            advice = dict(form.not_here).get(argument.keyword)
            fault = faults.unknown_keyword(
                argument.span, name, argument.keyword, form.names, by_position=form.variadic, advice=advice
            )
            context.report(fault)
            good = False
        elif bound[form.names.index(argument.keyword)] is not None:
            context.report(faults.argument_twice(argument.span, name, argument.keyword))
            good = False
        else:
            bound[form.names.index(argument.keyword)] = argument.value
    missing = [form.names[place] for place in range(form.required) if bound[place] is None]
    if missing and good:
        context.report(faults.missing_arguments(node.span, name, missing, form.shown))
        good = False
    return [*bound, *extra] if good else None
