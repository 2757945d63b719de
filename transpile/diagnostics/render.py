"""Diagnostics as text: the header, the place, the marked lines, then notes and help. Decides nothing about a fault."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from transpile.diagnostics.core import Diagnostic, Label
from transpile.source import SourceFile

LINE_LIMIT: Final = 160  # of a longer line, only a stretch around its first mark is shown
LEAD: Final = 40
_RESET: Final = "\x1b[0m"
_STYLES: Final = {"error": "\x1b[1;31m", "strong": "\x1b[1m", "quiet": "\x1b[34m"}

_Paint = Callable[[str, str], str]


def render_all(diagnostics: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """Every diagnostic, a blank line between two; no newline at the end."""
    return "\n\n".join(render(diagnostic, colour=colour) for diagnostic in diagnostics)


def render(diagnostic: Diagnostic, *, colour: bool = False) -> str:
    """One diagnostic, without a newline at its end."""
    paint: _Paint = _painted if colour else _plain
    labels = (diagnostic.primary, *diagnostic.secondary)
    width = len(str(max(label.span.line for label in labels)))
    lines = [paint("error", f"error[{diagnostic.code}]") + paint("strong", f": {diagnostic.message}")]
    for arrow, group in _by_file(labels):
        first = group[0].span
        place = f"{first.file.name}:{first.line}:{first.column}"
        lines.append(f"{paint('quiet', ' ' * width + arrow)} {place}")
        lines.append(paint("quiet", " " * (width + 1) + "|"))
        lines.extend(_marked_lines(group, diagnostic.primary, width, paint))
    for word, texts in (("note", diagnostic.notes), ("help", diagnostic.help)):
        lines.extend(_footer(word, text, width, paint) for text in texts)
    return "\n".join(lines)


def _plain(_style: str, text: str) -> str:
    return text


def _painted(style: str, text: str) -> str:
    return f"{_STYLES[style]}{text}{_RESET}"


def _by_file(labels: tuple[Label, ...]) -> Iterator[tuple[str, list[Label]]]:
    """The labels of each file, the primary one's file first."""
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(label.span.file.name, []).append(label)
    for place, group in enumerate(groups.values()):
        yield ("-->" if place == 0 else ":::"), group


def _marked_lines(labels: list[Label], primary: Label, width: int, paint: _Paint) -> Iterator[str]:
    """Each line that a label begins on, under it a row for each label; `...` where lines are left out."""
    file = labels[0].span.file
    ordered = sorted(labels, key=lambda label: (label.span.line, label.span.column, label is not primary))
    previous = 0
    for number in sorted({label.span.line for label in labels}):
        if previous and number > previous + 1:
            yield paint("quiet", "...")
        previous = number
        here = [label for label in ordered if label.span.line == number]
        text, start = _clipped(file, number, here[0].span.column)
        gutter = paint("quiet", f"{number:>{width}} |")
        yield f"{gutter} {text}" if text else gutter
        for label in here:
            is_primary = label is primary
            before = " " * _columns(file.line(number)[start : label.span.column - 1], start)
            mark = f"{'^' if is_primary else '-'} {label.text}".rstrip()
            yield f"{paint('quiet', ' ' * (width + 1) + '|')} {before}{paint('error' if is_primary else 'quiet', mark)}"


def _clipped(file: SourceFile, number: int, column: int) -> tuple[str, int]:
    """The line as shown, and how many of its characters are left out before."""
    line = file.line(number)
    start = max(0, column - 1 - LEAD) if len(line) > LINE_LIMIT and column > LINE_LIMIT else 0
    shown = line[start : start + LINE_LIMIT]
    ahead = "…" if start else ""
    behind = "…" if start + LINE_LIMIT < len(line) else ""
    return (ahead + "".join(map(_shown, shown)) + behind).rstrip(), start


def _columns(text: str, start: int) -> int:
    """The width of `text` on a terminal; one more where the line is shown from its middle."""
    return sum(_width(character) for character in text) + (1 if start else 0)


def _shown(character: str) -> str:
    """A tab is one column; what a terminal would obey or hide is shown as a replacement character."""
    if character == "\t":
        return " "
    return character if character.isprintable() or unicodedata.combining(character) else "\ufffd"


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _footer(word: str, text: str, width: int, paint: _Paint) -> str:
    """`= help: …`; further lines of the text stand under its first."""
    lead = " " * (width + 1)
    first, *rest = text.split("\n")
    indent = lead + " " * len(f"= {word}: ")
    return "\n".join([f"{paint('quiet', lead + '=')} {word}: {first}", *(f"{indent}{line}".rstrip() for line in rest)])
