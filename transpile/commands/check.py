"""`check`: what each function of a file is, and every fault; `--explain`: what a code means."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from transpile import settings
from transpile.cli import OK, USER_ERROR, UsageError
from transpile.commands.arguments import InstanceOptions, parse_instances, resolve_instances, source_file
from transpile.commands.terminal import print_diagnostics, write
from transpile.progress import is_rich, working

if TYPE_CHECKING:
    from transpile.diagnostics.catalogue.entry import Entry
    from transpile.ir import hir

KINDS: Final = {"tile": "tile kernel", "thread": "thread kernel", "device": "device function", "launcher": "launcher"}


def execute(arguments: argparse.Namespace) -> int:
    if arguments.explain is not None:
        return _explain(arguments.explain)
    if not arguments.files:
        raise UsageError("give the files to check, or --explain CODE")
    files = [source_file(name) for name in arguments.files]
    instances = parse_instances(arguments.instance)
    faults = 0
    for place, path in enumerate(files):
        if place:
            print()
        with working(f"checking {path}"):
            faults += _check(path, instances)
    return USER_ERROR if faults else OK


def _check(path: str, options: InstanceOptions) -> int:
    """Prints about one file; returns the number of its faults."""
    from transpile.diagnostics.core import Sink
    from transpile.frontend.load import load_file
    from transpile.typing.check import check_module

    sink = Sink()
    module = load_file(path, sink)
    if module is not None:
        check_module(module, sink, resolve_instances(options, module))
    found = tuple(sink)
    if found:
        print_diagnostics(found, sys.stdout)
        print()
    write(f"{path}: {_count(len(found))}\n", sys.stdout)
    if module is not None:
        _print_functions(module)
    if found:
        write(f"More about a fault, by its code: transpile check --explain {found[0].code}\n", sys.stdout)
    return len(found)


def _count(faults: int) -> str:
    return {0: "no faults", 1: "1 fault"}.get(faults, f"{faults} faults")


def _print_functions(module: hir.Module) -> None:
    rows = [(each.key, KINDS[each.kind], each.span.line) for each in module.functions]
    rows.sort(key=lambda row: row[2])
    lines = [(name, kind) for name, kind, _ in rows] + [(name, f"Python: {why}") for name, why in module.skipped]
    if not lines:
        write("  nothing is compiled: no function is decorated with @tile.kernel or @cuda.kernel\n", sys.stdout)
        return
    if is_rich(sys.stdout):
        _print_table(lines)
        return
    width = max(len(name) for name, _ in lines)
    for name, kind in lines:
        write(f"  {name:<{width}}  {kind}\n", sys.stdout)


def _print_table(lines: list[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2))
    for name, kind in lines:
        styles = ("dim", "dim") if kind.startswith("Python") else ("bold", "cyan")
        table.add_row(Text(name, style=styles[0]), Text(kind, style=styles[1]))
    Console().print(table)


def _explain(code: str) -> int:
    from transpile.diagnostics.catalogue.table import CATALOGUE

    if code not in CATALOGUE:
        near = difflib.get_close_matches(code, CATALOGUE, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else f"; there are:\n\n{_all_codes(CATALOGUE)}"
        raise UsageError(f"--explain {code}: there is no such code{hint}")
    write(_page(CATALOGUE[code]), sys.stdout)
    return OK


def _all_codes(codes: Iterable[str]) -> str:
    """In as many lines as the terminal wants, each code whole."""
    listed = ", ".join(sorted(codes))
    return textwrap.fill(
        listed, settings.columns() - 2, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )


def _page(entry: Entry) -> str:
    example = textwrap.indent((entry.shown or entry.example).strip("\n"), "    ")
    return f"{entry.code}: {entry.title}\n\n{entry.explanation}\n\nFor example:\n\n{example}\n\n{entry.fix}\n"
