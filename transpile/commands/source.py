"""Loads and checks a file for the commands that go on with it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.build.artifacts import Emitted, Request
from transpile.cli import UsageError
from transpile.commands.arguments import parse_instances, resolve_instances
from transpile.commands.terminal import write
from transpile.diagnostics.core import Sink
from transpile.frontend.load import load_file
from transpile.ir import hir, tir
from transpile.typing.check import check_module


def load_source(path: str, instances: Sequence[str], *, asserts: bool = True) -> tuple[hir.Module, tir.Module]:
    """The file, with all its faults in one report. Raises CompileError, UsageError."""
    options = parse_instances(instances)
    sink = Sink()
    module = load_file(path, sink)
    typed = None
    if module is not None:
        typed = check_module(module, sink, resolve_instances(options, module), asserts=asserts)
    sink.raise_if_any()
    assert module is not None
    assert typed is not None
    return module, typed


def options_of(arguments: argparse.Namespace) -> pipeline.Options:
    archs = getattr(arguments, "arch", None)
    return pipeline.Options(
        lines=arguments.lines,
        archs=tuple(archs.split(",")) if archs is not None else (),
        verify=arguments.verify,
        dump=Path(arguments.dump) if arguments.dump is not None else None,
    )


def emit_for_build(request: Request, arguments: argparse.Namespace) -> Emitted:
    """The texts of one file's module. Raises CompileError, UsageError."""
    module, typed = load_source(request.source, arguments.instance, asserts=arguments.asserts)
    check_content(module, typed)
    command = " ".join(table_options(request.target, arguments))
    return pipeline.emit_extension(
        module, typed, request.name, options_of(arguments), backend=BACKENDS[request.target], command=command
    )


def table_options(target: str, arguments: argparse.Namespace) -> list[str]:
    """The options of the command line that a module's sources depend on."""
    words = ["--target", target] if target != "cpu" else []
    words += ["--lines", arguments.lines] if arguments.lines != "comment" else []
    for each in arguments.instance:
        words += ["--instance", each]
    return words if arguments.asserts else [*words, "--no-assert"]


def check_content(module: hir.Module, typed: tir.Module) -> None:
    """Names the kernels that lack the value of a static parameter. Raises UsageError if nothing else is there."""
    source = module.source.name
    for name, parameters in _without_instance(module, typed).items():
        values = ":".join(f"{each}=VALUE,..." for each in parameters)
        write(f"{source}: {name} is left out: give --instance {name}:{values}\n", sys.stderr)
    if all(function.kind == "device" for function in typed.functions):
        raise UsageError(f"{source}: there is no kernel or launcher to build")


def _without_instance(module: hir.Module, typed: tir.Module) -> dict[str, list[str]]:
    """The kernels that no value was given for, and their static parameters."""
    built = {function.base for function in typed.functions}
    return {
        function.name: [each.name for each in function.parameters if isinstance(each.annotation, hir.StaticAnnotation)]
        for function in module.functions
        if function.kind in ("tile", "thread") and function.key not in built
    }
