"""KIR -> the text that NVRTC compiles, kernels without a host part; and what the engine must know to launch each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from transpile.backends.backend import Backend
from transpile.emit.binding import ROLES, kind_and_dtype, rule_of, statics_of
from transpile.emit.overlap import parameters_apart
from transpile.emit.render import render_unit
from transpile.emit.shared import plan_shared
from transpile.emit.statements import Lines
from transpile.emit.unit import Provenance, build_unit
from transpile.ir import kir, tir
from transpile.typing.types import largest

# What JSON can hold: a description is kept in the cache, and read there by processes that load nothing of this.
Description: TypeAlias = "dict[str, object]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageKernel:
    """A kernel of a text: `expression` names it in C++, `threads` is the block of a tile kernel and 0 for a thread
    kernel, `shared` the bytes of dynamic shared memory that a launch asks for."""

    key: str
    expression: str
    threads: int
    shared: int


@dataclass(frozen=True, slots=True)
class ImageText:
    """`file` is what the compiler's messages call the text."""

    file: str
    text: str
    kernels: tuple[ImageKernel, ...]


def write_image(module: kir.Module, backend: Backend, provenance: Provenance, lines: Lines) -> ImageText:
    """The kernels of `module`, without its launchers."""
    unit = build_unit(replace(module, launchers=()), backend, provenance, lines)
    kernels = tuple(_kernel(each, backend) for each in module.functions if each.kind != "device")
    return ImageText(unit.file, render_unit(unit), kernels)


def _kernel(function: kir.Function, backend: Backend) -> ImageKernel:
    return ImageKernel(
        key=function.key,
        expression=f"transpiled::{function.name}",
        threads=largest(function.threads) if function.threads is not None else 0,
        shared=plan_shared(function, backend).bytes,
    )


def describe(module: tir.Module, function: tir.Function, kernel: ImageKernel, summary: str) -> Description:
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
    }
