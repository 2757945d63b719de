"""What the commands print: coloured on a terminal, plain in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from transpile.progress import is_rich

if TYPE_CHECKING:
    from transpile.diagnostics.core import Diagnostic


def print_diagnostics(diagnostics: Iterable[Diagnostic], stream: TextIO) -> None:
    from transpile.diagnostics.render import render_all

    write(render_all(diagnostics, colour=is_rich(stream)) + "\n", stream)


def write(text: str, stream: TextIO) -> None:
    """Writes text that may hold characters which the stream's encoding lacks."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def print_source(text: str, language: str) -> None:
    """Prints a text for people: highlighted on a terminal, as it is in a pipe."""
    if is_rich(sys.stdout):
        from rich.console import Console
        from rich.syntax import Syntax

        # The terminal wraps: a line break of ours would be copied along with the text.
        highlighted = Syntax("", language, background_color="default").highlight(text)
        Console().print(highlighted, soft_wrap=True, end="")
        return
    write(text, sys.stdout)
