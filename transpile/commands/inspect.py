"""`inspect`: a stage of the compiler, as text for people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from transpile import pipeline
from transpile.backends.backend import Backend
from transpile.backends.table import BACKENDS
from transpile.cli import UsageError
from transpile.commands.arguments import source_file
from transpile.commands.emit import deliver
from transpile.commands.source import load_source
from transpile.ir import hir, tir
from transpile.ir.print_hir import print_hir
from transpile.ir.print_kir import print_kir
from transpile.ir.printer import print_module
from transpile.lowering.fold import fold_module
from transpile.progress import working


def execute(arguments: argparse.Namespace) -> int:
    path = source_file(arguments.file)
    if arguments.stage in ("ptx", "sass"):
        return _print_assembly(path, arguments)
    if arguments.arch is not None:
        raise UsageError("--arch is for --stage ptx and sass")
    target = "cuda" if arguments.stage == "cuda" else arguments.target
    return print_stage(path, arguments.stage, target, arguments.instance, arguments.output, arguments.asserts)


def _print_assembly(path: str, arguments: argparse.Namespace) -> int:
    from transpile.commands.assembly import assembly

    with working(f"compiling {path}"):
        module, typed = load_source(path, arguments.instance, asserts=arguments.asserts)
        options = pipeline.Options(lines="none")
        text = assembly(module, typed, arguments.stage, arguments.arch, options)
    return deliver(text, arguments.output, "text")


def print_stage(path: str, stage: str, target: str, instances: Sequence[str], output: str | None, asserts: bool) -> int:
    """Prints one stage of a file, or writes it to `output`. Raises CompileError."""
    with working(f"compiling {path}"):
        module, typed = load_source(path, instances, asserts=asserts)
        text = _text(stage, BACKENDS[target], module, typed)
    return deliver(text, output, {"cuda": "cpp", "kir": "c"}.get(stage, "text"))


def _text(stage: str, backend: Backend, module: hir.Module, typed: tir.Module) -> str:
    if stage == "hir":
        return print_hir(module)
    if stage == "tir":
        return _ended(print_module(fold_module(typed)))
    if stage == "layout":
        return _ended(pipeline.print_layouts(fold_module(typed), backend))
    if stage == "kir":
        return _ended(print_kir(pipeline.lower(typed, backend)))
    return pipeline.emit_typed(module, typed, backend)


def _ended(text: str) -> str:
    return text.rstrip("\n") + "\n"
