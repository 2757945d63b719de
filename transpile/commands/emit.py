"""`emit`: the text of a file's kernels for a target. What was emitted once is answered from the cache."""

from __future__ import annotations

import argparse
import os
import sys

from transpile.build.cache import Cache, key_of, open_cache, own_code, write_whole
from transpile.build.depfile import write_rule
from transpile.build.inputs import Record, digest, digests, recall_record, remember
from transpile.build.nvrtc import nvrtc_identity
from transpile.cli import OK, UsageError
from transpile.commands.arguments import output_file, source_file
from transpile.commands.terminal import print_source
from transpile.progress import is_rich, working


def execute(arguments: argparse.Namespace) -> int:
    path = source_file(arguments.file)
    _check_files(arguments)
    if arguments.stop_after is not None:
        from transpile.commands.inspect import print_stage

        backend = {"header": "cpu", "ptx": "cuda"}.get(arguments.target, arguments.target)
        return print_stage(path, arguments.stop_after, backend, arguments.instance, arguments.output, arguments.asserts)
    if arguments.arch is not None and arguments.target != "ptx":
        raise UsageError(f"--arch is for ptx; the text for {arguments.target} serves every GPU")
    cache = open_cache()
    emitted = {arguments.output: _emit(path, arguments, arguments.target, cache)}
    if arguments.header is not None:
        emitted[arguments.header] = _emit(path, arguments, "header", cache)
    if arguments.depfile is not None:
        write_rule(output_file(arguments.depfile), emitted, emitted[arguments.output].files)
    for output, record in emitted.items():
        deliver(record.result, output, "text" if arguments.target == "ptx" else "cpp")
    return OK


def _check_files(arguments: argparse.Namespace) -> None:
    named = ("header", "depfile", "arch", "dump", "verify")
    given = [f"--{name}" for name in named if getattr(arguments, name) not in (None, False)]
    if arguments.stop_after is not None and given:
        raise UsageError(f"--stop-after prints a stage and nothing else: leave out {' and '.join(given)}")
    if arguments.target == "header" and (arguments.dump is not None or arguments.verify):
        raise UsageError("--dump and --verify are for the text of a target: a header is made without these stages")
    if arguments.depfile is not None and arguments.output is None:
        raise UsageError("--depfile tells what -o PATH was made from: give both")
    files = [
        os.path.abspath(name) for name in (arguments.output, arguments.header, arguments.depfile) if name is not None
    ]
    if len(set(files)) < len(files):
        raise UsageError("-o, --header and --depfile: name a file for each")


def deliver(text: str, output: str | None, language: str) -> int:
    """Writes a file, or prints: the bytes as they are in a pipe, highlighted on a terminal."""
    if output is not None:
        write_whole(output_file(output), text.encode())
    elif is_rich(sys.stdout):
        print_source(text, language)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
    return OK


def _emit(path: str, arguments: argparse.Namespace, target: str, cache: Cache) -> Record:
    """The text of a target, and the files that it was made from. Raises CompileError, UsageError."""
    if arguments.dump is not None or arguments.verify:
        text, read = _make(path, arguments, target)
        return Record(digests(read), text)
    machine = f"{arguments.arch} {nvrtc_identity()}" if target == "ptx" else ""
    options = (target, machine, arguments.lines, repr(arguments.instance), repr(arguments.asserts))
    key = key_of("emit", own_code(), *options, os.path.abspath(path))
    kept = recall_record(cache, key)
    if kept is not None:
        return kept
    before = digest(path)
    text, read = _make(path, arguments, target)
    files = digests(read)
    emitted = Record(files, text)
    if files.get(os.path.abspath(path)) == before:  # not while somebody is writing it
        remember(cache, key, emitted)
    return emitted


def _make(path: str, arguments: argparse.Namespace, target: str) -> tuple[str, tuple[str, ...]]:
    """The text, and the files that it depends on. Raises CompileError."""
    from transpile import pipeline
    from transpile.backends.table import BACKENDS
    from transpile.commands.source import load_source, options_of

    with working(f"compiling {path}"):
        options = options_of(arguments)
        module, typed = load_source(path, arguments.instance, asserts=arguments.asserts)
        read = tuple(file.name for file in module.files)
        if target == "header":
            return pipeline.emit_header(module, typed, BACKENDS["cpu"]), read
        if target == "ptx":
            from transpile.commands.assembly import assembly

            return assembly(module, typed, "ptx", arguments.arch, options), read
        return pipeline.emit_typed(module, typed, BACKENDS[target], options), read
