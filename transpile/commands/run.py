"""`run`: a Python file as the main program, its launches on a chosen target."""

from __future__ import annotations

import argparse
import os
import sys
from types import ModuleType, TracebackType

from transpile import settings
from transpile.build.faults import CompilerError, ToolchainMissingError
from transpile.cli import OK, USER_ERROR, UsageError
from transpile.commands.arguments import source_file
from transpile.commands.terminal import print_diagnostics
from transpile.diagnostics.raised import CompileError

TARGETS = ("reference", "cpu", "cuda", "hip", "auto")


def execute(arguments: argparse.Namespace) -> int:
    path = source_file(arguments.file)
    target, rest = _leading_target(arguments.target, arguments.arguments)
    target = target or settings.target() or "reference"
    settings.set_target(_target_here() if target == "auto" else target)
    return run_program(path, rest)


def _target_here() -> str:
    """What `auto` takes, said on stderr: the GPU where kernels can be compiled for it while the program runs, else the
    CPU where there is a compiler, else the reference. No driver is started: the program may fork before its launches.
    """
    from transpile.build import devices, toolchain
    from transpile.build.nvrtc import find_nvrtc

    why = devices.fault_of_signs("cuda")
    if not why and find_nvrtc() is not None:
        return _told("cuda", "there is an NVIDIA GPU")
    why = why or "there is an NVIDIA GPU but no NVRTC (pip install 'transpile[nvrtc]')"
    try:
        return _told("cpu", f"{why}; {toolchain.find_compiler().version}")
    except ToolchainMissingError:
        return _told("reference", f"{why}; there is no C++ compiler")


def _told(target: str, why: str) -> str:
    print(f"--target {target}: {why}", file=sys.stderr)
    return target


def _leading_target(target: str | None, rest: list[str]) -> tuple[str | None, list[str]]:
    """Takes a `--target` off that stands between FILE and the program's own arguments; `--` ends ours."""
    if rest[:1] == ["--target"] and len(rest) > 1:
        target, rest = rest[1], rest[2:]
    elif rest and rest[0].startswith("--target="):
        target, rest = rest[0].partition("=")[2], rest[1:]
    if target is not None and target not in TARGETS:
        raise UsageError(f"--target {target}: choose from {', '.join(TARGETS)}")
    return target, rest[1:] if rest[:1] == ["--"] else rest


def run_program(path: str, arguments: list[str]) -> int:
    """Executes the file as `__main__`, as `python FILE` does."""
    with open(path, "rb") as file:
        source = file.read()
    full = os.path.abspath(path)  # as Python does: the program may go to another folder
    module = ModuleType("__main__")
    module.__dict__.update(__file__=full, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(full)
    try:
        exec(compile(source, full, "exec", dont_inherit=True), module.__dict__)
    except CompileError as error:
        sys.stdout.flush()
        print_diagnostics(error.diagnostics, sys.stderr)
        return USER_ERROR
    except (BrokenPipeError, ToolchainMissingError, CompilerError):
        raise
    except Exception as error:
        import traceback

        sys.stdout.flush()
        traceback.print_exception(type(error), error, _below_ours(error.__traceback__))
        return USER_ERROR
    return OK


def _below_ours(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first line on; all of it where the program did not begin (a syntax error)."""
    return trace.tb_next if trace is not None else None
