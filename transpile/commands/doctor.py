"""`doctor`: what this machine has, what each target lacks, and the command that mends it."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from transpile.build.doctor import Found, Lack, Report, Target, examine
from transpile.cli import OK, TOOLCHAIN_MISSING
from transpile.commands.terminal import write
from transpile.progress import is_rich, working


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the report, and how a terminal shows it."""

    text: str
    style: Literal["", "title", "good", "bad", "dim"] = ""


def execute(arguments: argparse.Namespace) -> int:
    with working("looking at this machine"):
        report = examine()
    _print(list(_lines(report)))
    asked = arguments.target or "cpu"
    is_ready = all(target.is_ready for target in report.targets if target.name == asked)
    return OK if is_ready else TOOLCHAIN_MISSING


def _lines(report: Report) -> Iterator[Line]:
    yield Line(_here())
    for title, found in report.groups:
        yield Line("")
        yield Line(title, "title")
        yield from map(_found, found)
    yield Line("")
    yield Line("targets", "title")
    said: set[Lack] = set()
    for target in report.targets:
        yield from _target(target, said)


def _here() -> str:
    from transpile import __version__

    system = f"{platform.system()} {platform.machine()}"
    return f"transpile {__version__} on Python {platform.python_version()} ({sys.executable}), {system}, {_cores()}"


def _cores() -> str:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return "1 core" if count == 1 else f"{count} cores"


def _found(found: Found) -> Line:
    words = f"  {found.name:<10} {found.version:<12} {found.place}".rstrip()
    note = f"  ({found.note})" if found.place and found.note else f" {found.note}" if found.note else ""
    is_here = bool(found.place or found.version)
    return Line((words if is_here else f"  {found.name:<10} -           ") + note, "" if is_here else "dim")


def _target(target: Target, said: set[Lack]) -> Iterator[Line]:
    """What can be done for a target. A lack that was `said` before is not mended twice."""
    for place, ability in enumerate(target.abilities):
        name = target.name if place == 0 else ""
        if not ability.lacks:
            yield Line(f"  {name:<10} {ability.name:<14} ready", "good")
        for number, lack in enumerate(ability.lacks):
            words = (name, ability.name) if number == 0 else ("", "")
            yield Line(f"  {words[0]:<10} {words[1]:<14} {lack.what}", "bad")
            if lack not in said:
                yield Line(f"  {'':<10} {'':<14}   {lack.mend}")
            said.add(lack)


def _print(lines: list[Line]) -> None:
    if not is_rich(sys.stdout):
        write("".join(f"{line.text}\n" for line in lines), sys.stdout)
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"": "", "title": "bold", "good": "green", "bad": "yellow", "dim": "dim"}
    for line in lines:
        Console().print(Text(line.text, style=styles[line.style]), soft_wrap=True)
