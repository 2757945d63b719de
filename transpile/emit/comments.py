"""Python text inside C++ comments, and `#line`: nothing in it may end or change the comment."""

from __future__ import annotations

import unicodedata
from pathlib import PurePath
from typing import Final

from transpile.emit.doc import WIDTH
from transpile.source import NO_FILE, Span

HERE: Final = "#line here"


def harmless(text: str) -> str:
    """`text` on one line, without control or direction characters and without a backslash at its end."""
    shown = "".join(
        f"\\u{ord(char):04x}" if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") and char not in "\t" else char
        for char in " ".join(text.split("\n"))
    )
    return shown.rstrip("\\ \t").replace("??", "? ?")


def comment(text: str, indent: int) -> list[str]:
    """`// text`, on as many lines as it takes."""
    pad = " " * indent
    rest, lines, opening = harmless(text), [], "// "
    while rest:
        room = WIDTH - indent - len(opening)
        if len(rest) <= room:
            cut = len(rest)
        else:
            cut = rest.rfind(" ", 1, room + 1)
            cut = cut if cut > 0 else room
        lines.append(pad + opening + rest[:cut].rstrip("\\ "))
        rest, opening = rest[cut:].lstrip(), "//     "
    return lines


def directive(span: Span) -> str:
    """`#line` for the Python line where a statement begins; back to the text's own lines where that is unknown."""
    if span.file is NO_FILE:
        return HERE
    name = PurePath(span.file.name).name.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {span.line} "{name}"'


def placed(lines: list[str], name: str) -> list[str]:
    """The lines of a file with each marker that returns to the file's own numbers filled in."""
    return [f'#line {place + 2} "{name}"' if line == HERE else line for place, line in enumerate(lines)]
