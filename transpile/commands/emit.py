"""`emit`: the text of a file's kernels for a target. What was emitted once is answered from the cache."""

from __future__ import annotations

import argparse
import os
import sys

from transpile.build.cache import Cache, key_of, open_cache, own_code, write_whole
from transpile.build.inputs import Record, digest, digests, recall, remember
from transpile.cli import OK
from transpile.commands.arguments import output_file, source_file
from transpile.commands.terminal import print_source
from transpile.progress import is_rich, working


def execute(arguments: argparse.Namespace) -> int:
    path = source_file(arguments.file)
    if arguments.stop_after is not None:
        from transpile.commands.inspect import print_stage

        backend = "cpu" if arguments.target == "header" else arguments.target
        return print_stage(path, arguments.stop_after, backend, arguments.instance, arguments.output)
    text = _emit(path, arguments, open_cache())
    return deliver(text, arguments.output, "cpp")


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


def _emit(path: str, arguments: argparse.Namespace, cache: Cache) -> str:
    if arguments.dump is not None or arguments.verify:
        return _make(path, arguments)[0]
    key = key_of("emit", own_code(), arguments.target, arguments.lines, repr(arguments.instance), os.path.abspath(path))
    kept = recall(cache, key)
    if kept is not None:
        return kept
    before = digest(path)
    text, read = _make(path, arguments)
    files = digests(read)
    if files.get(os.path.abspath(path)) == before:  # not while somebody is writing it
        remember(cache, key, Record(files, text))
    return text


def _make(path: str, arguments: argparse.Namespace) -> tuple[str, tuple[str, ...]]:
    """The text, and the files that it depends on. Raises CompileError."""
    from transpile import pipeline
    from transpile.backends.table import BACKENDS
    from transpile.commands.source import load_source, options_of

    with working(f"compiling {path}"):
        options = options_of(arguments)
        module, typed = load_source(path, arguments.instance)
        read = tuple(file.name for file in module.files)
        if arguments.target == "header":
            return pipeline.emit_header(module, typed, BACKENDS["cpu"]), read
        return pipeline.emit_typed(module, typed, BACKENDS[arguments.target], options), read
