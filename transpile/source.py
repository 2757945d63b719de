"""Source text and places in it. Lines and columns count from 1; columns are characters, a tab is one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final


@dataclass(frozen=True)
class SourceFile:
    """The decoded text of one Python file. `name` is how messages call it (as the user gave it)."""

    name: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends; LF, CRLF and CR end a line, nothing else does."""
        return tuple(self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one file. `end_column` is one past the last character."""

    file: SourceFile
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}:{self.column}"

    def text(self) -> str:
        """The source text of this span, its lines joined by a newline."""
        lines = list(self.file.lines[self.line - 1 : self.end_line])
        if not lines:
            return ""
        lines[-1] = lines[-1][: self.end_column - 1]
        lines[0] = lines[0][self.column - 1 :]
        return "\n".join(lines)


NO_FILE: Final = SourceFile("<built by hand>", "")
NOWHERE: Final = Span(NO_FILE, 1, 1, 1, 1)
