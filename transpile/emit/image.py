"""KIR -> the text that NVRTC compiles, kernels without a host part; and what the engine must know to launch each."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, replace
from typing import TypeAlias

from transpile import dtypes
from transpile.backends.backend import Backend
from transpile.emit.binding import ROLES, kind_and_dtype, rule_of, statics_of
from transpile.emit.overlap import parameters_apart
from transpile.emit.render import render_unit
from transpile.emit.reports import Assertion, Reports
from transpile.emit.shared import SharedPlan, plan_shared
from transpile.emit.statements import Lines
from transpile.emit.unit import Provenance, build_unit
from transpile.ir import kir, tir
from transpile.typing.types import largest

# What JSON can hold: a description is kept in the cache, and read there by processes that load nothing of this.
Description: TypeAlias = "dict[str, object]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageKernel:
    """A kernel of a text: `expression` names it in C++, `threads` is the block of a tile kernel and 0 for a thread
    kernel, `shared` the bytes of dynamic shared memory that a launch asks for, beside an array that it sizes: `sized`
    are the place of its argument, static ones not counted, and the bytes of an element. One that `asserts` is given a
    record."""

    key: str
    expression: str
    threads: int
    shared: int
    sized: tuple[int, int] | None
    asserts: bool


@dataclass(frozen=True, slots=True)
class ImageText:
    """`file` is what the compiler's messages call the text; `assertions` are in the order of their numbers."""

    file: str
    text: str
    kernels: tuple[ImageKernel, ...]
    prints: bool
    assertions: tuple[Assertion, ...]


def write_image(module: kir.Module, backend: Backend, provenance: Provenance, lines: Lines) -> ImageText:
    """The kernels of `module`, without its launchers."""
    unit = build_unit(replace(module, launchers=()), backend, provenance, lines)
    failing = Reports.of(module.functions).failing
    kernels = tuple(_kernel(each, backend, failing) for each in module.functions if each.kind != "device")
    return ImageText(unit.file, render_unit(unit), kernels, unit.prints, unit.assertions)


def _sized(function: kir.Function, plan: SharedPlan) -> tuple[int, int] | None:
    if plan.sized is None:
        return None
    names = [each.var.name for each in function.parameters if each.static is None]
    return names.index(plan.sized.count), plan.sized.bytes


def _kernel(function: kir.Function, backend: Backend, failing: frozenset[str]) -> ImageKernel:
    plan = plan_shared(function, backend)
    return ImageKernel(
        key=function.key,
        expression=_expression(function),
        threads=largest(function.threads) if function.threads is not None else 0,
        shared=plan.bytes,
        sized=_sized(function, plan),
        asserts=function.name in failing,
    )


def _expression(function: kir.Function) -> str:
    """The kernel in C++, where it is named from outside of the text's namespace; so are types of its own."""
    own = "|".join(dtype.cxx for dtype in dtypes.ALL if dtype.is_narrow_float)
    name, opening, arguments = function.name.partition("<")
    return f"transpiled::{name}{opening}" + re.sub(rf"\b({own})\b", r"transpiled::\1", arguments)


def describe(
    module: tir.Module, function: tir.Function, image: ImageText, kernel: ImageKernel, summary: str
) -> Description:
    """One kernel as the engine's `load` wants it, but for its `symbol`, which the compiler gives."""
    return {
        "name": function.base,
        "summary": summary,
        "role": ROLES[function.kind],
        "rule": rule_of(function),
        "parameters": [[each.name, *kind_and_dtype(each)] for each in function.parameters],
        "statics": list(statics_of(function)),
        "apart": [list(pair) for pair in parameters_apart(module, function)],
        "threads": kernel.threads,
        "shared": kernel.shared,
        "sized": list(kernel.sized) if kernel.sized is not None else [],
        "prints": image.prints,
        "assertions": [list(astuple(each)) for each in image.assertions] if kernel.asserts else [],
    }
