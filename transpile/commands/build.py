"""`build`: an extension module of each file, with the sources that it is made of; `--check`: are those current?"""

from __future__ import annotations

import argparse
import keyword
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from transpile.build import toolchain
from transpile.build.artifacts import Emitted, Request, differences, is_up_to_date, make, requests, write_sources
from transpile.build.cache import Cache, open_cache
from transpile.build.depfile import write_rule
from transpile.build.machine import target_here
from transpile.build.targets import Recipe, recipe_for
from transpile.build.toolchain import ToolchainMissingError, UnknownProcessorError
from transpile.cli import OK, USER_ERROR, UsageError
from transpile.commands.arguments import output_file, source_file
from transpile.commands.terminal import write
from transpile.progress import working


def execute(arguments: argparse.Namespace) -> int:
    files = [source_file(name) for name in arguments.files]
    if arguments.name is not None:
        _check_name(arguments.name, files)
    if arguments.target == "auto":
        arguments.target, why = target_here()
        print(f"--target {arguments.target}: {why}")
    _check_machines(arguments)
    names = ("target", "lines", "instance", "march", "arch", "asserts")
    options = {name: getattr(arguments, name) for name in names}
    wanted = requests(files, arguments.target, arguments.name, arguments.output, options)
    _check_apart(wanted)
    if arguments.depfile is not None and (not arguments.sources_only or len(files) > 1):
        raise UsageError("--depfile tells what the sources of one FILE were made from: give --sources-only")
    if arguments.check:
        return _compare(wanted, arguments)
    if arguments.sources_only:
        return _write_sources(wanted, arguments)
    cache = open_cache()
    for request in wanted:
        _build(request, arguments, cache)
    return OK


def _check_name(name: str, files: list[str]) -> None:
    if len(files) > 1:
        raise UsageError("--name names one module, and there are several files")
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise UsageError(f"--name {name}: not a name that a module can have")
    if name == Path(files[0]).stem:
        raise UsageError(f"--name {name}: the kernels' own files are called so already")


def _check_machines(arguments: argparse.Namespace) -> None:
    if arguments.march is not None and arguments.target != "cpu":
        raise UsageError(f"--march is for --target cpu; --target {arguments.target} takes --arch")
    if arguments.arch is not None and arguments.target == "cpu":
        raise UsageError("--arch names GPUs, and the target is cpu: --march names processors")
    if arguments.arch is not None and not all(arguments.arch.split(",")):
        raise UsageError(f"--arch {arguments.arch}: expected names with commas between them")


def _check_apart(wanted: list[Request]) -> None:
    seen: dict[Path, Request] = {}
    for request in wanted:
        if not (request.stem.isidentifier() and request.stem.isascii()):
            raise UsageError(f"{request.source}: the name of a module must be an identifier in ASCII; rename the file")
        other = seen.setdefault(request.folder / request.name, request)
        if other is not request:
            raise UsageError(f"{other.source} and {request.source} would both be written as {request.extension}")


def _emitter(request: Request, arguments: argparse.Namespace) -> Callable[[], Emitted]:
    def emit() -> Emitted:
        from transpile.commands.source import emit_for_build

        return emit_for_build(request, arguments)

    return emit


def _build(request: Request, arguments: argparse.Namespace, cache: Cache) -> None:
    emit = _emitter(request, arguments)
    recipe = _recipe_or_faults(request, emit, arguments)
    if arguments.dump is None and not arguments.verify and is_up_to_date(request, recipe, cache):
        print(f"{request.extension} is up to date")
        return
    if recipe.remark:
        print(f"compiling {request.source} {recipe.remark}")
    with working(f"building {request.extension}"):
        written = make(request, recipe, cache, emit)
    for path in written:
        write(f"wrote {path}\n", sys.stdout)


def _write_sources(wanted: list[Request], arguments: argparse.Namespace) -> int:
    """Writes everything but the extension, for a build system that compiles it. Raises CompileError, OSError."""
    for request in wanted:
        with working(f"compiling {request.source}"):
            emitted = _emitter(request, arguments)()
        written = write_sources(request, emitted)
        if arguments.depfile is not None:  # a build system says what it does by itself
            write_rule(output_file(arguments.depfile), written, emitted.read)
            continue
        for path in written:
            write(f"wrote {path}\n", sys.stdout)
    return OK


def _recipe_or_faults(request: Request, emit: Callable[[], Emitted], arguments: argparse.Namespace) -> Recipe:
    """How to compile; where that is not known, the program's own faults come first. Raises ToolchainMissingError."""
    archs = arguments.arch.split(",") if arguments.arch is not None else None
    try:
        toolchain.python_include()
        return recipe_for(
            arguments.target,
            archs=archs,
            march=arguments.march or "native",
            origin=Path(request.source).absolute().parent if arguments.lines == "directive" else None,
        )
    except UnknownProcessorError as error:
        option = f"--march {arguments.march}" if arguments.target == "cpu" else f"--arch {arguments.arch}"
        raise UsageError(f"{option}: {error}") from None
    except ToolchainMissingError:
        emit()
        raise


def _compare(wanted: list[Request], arguments: argparse.Namespace) -> int:
    code = OK
    for request in wanted:
        with working(f"compiling {request.source}"):
            text = differences(request, _emitter(request, arguments)())
        if text:
            write(text, sys.stdout)
            write(f"{request.source}: not what is checked in; run: {command_of(request, arguments)}\n", sys.stderr)
            code = USER_ERROR
    return code


def command_of(request: Request, arguments: argparse.Namespace) -> str:
    """The command line that makes the request's files current."""
    from transpile.commands.source import table_options

    words = ["python", "-m", "transpile", "build", request.source, *table_options(request.target, arguments)]
    for name, value in (
        ("--name", arguments.name),
        ("-o", arguments.output),
        ("--arch", arguments.arch),
        ("--march", arguments.march),
    ):
        words += [name, value] if value is not None else []
    words += ["--sources-only"] if arguments.sources_only else []
    return shlex.join(words)
