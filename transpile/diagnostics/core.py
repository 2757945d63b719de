"""What can be said to a user, as values. Nothing here formats text; `render` does, and it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from transpile.diagnostics.raised import CompileError as CompileError
from transpile.source import Span


@dataclass(frozen=True, slots=True)
class Label:
    """A place and what it is; an empty text only underlines."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One fault: what is wrong (`message`), where (`primary`), why (`notes`), what to write instead (`help`).

    `code` is a row of the catalogue. Built by the typed functions of this package from types, names and spans.
    """

    code: str
    message: str
    primary: Label
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()


class Sink:
    """Collects the faults of one run. The same fault at the same place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, int], Diagnostic] = {}

    def report(self, diagnostic: Diagnostic) -> None:
        span = diagnostic.primary.span
        self._found.setdefault((diagnostic.code, span.file.name, span.line, span.column), diagnostic)

    @property
    def has_errors(self) -> bool:
        return bool(self._found)

    def __iter__(self) -> Iterator[Diagnostic]:
        """In source order: by file as first met, then line and column."""
        files = {name: place for place, name in enumerate(dict.fromkeys(key[1] for key in self._found))}
        yield from (self._found[key] for key in sorted(self._found, key=lambda key: (files[key[1]], key[2], key[3])))

    def raise_if_any(self) -> None:
        if self._found:
            raise CompileError(tuple(self))


class InternalError(Exception):
    """A broken invariant of ours, never the user's fault. `node` is what broke it."""

    def __init__(self, message: str, node: object = None) -> None:
        super().__init__(f"{message}: {node!r}" if node is not None else message)
        self.node = node
