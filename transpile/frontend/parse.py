"""Bytes or text into a libcst tree with positions. Reports what keeps a file from being read; resolves no name."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from transpile.diagnostics import syntax
from transpile.diagnostics.core import Sink
from transpile.source import SourceFile, Span

Parsed: TypeAlias = tuple[cst.Module, Mapping[cst.CSTNode, CodeRange]]
ParseText: TypeAlias = Callable[[str], Parsed]


@dataclass(frozen=True, slots=True)
class Tree:
    """A parsed file, or a stretch of one: `lines_before` is how many lines of the file come before the tree's first."""

    source: SourceFile
    module: cst.Module
    positions: Mapping[cst.CSTNode, CodeRange]
    lines_before: int = 0

    def span(self, node: cst.CSTNode) -> Span:
        place = self.positions[node]
        return Span(
            self.source,
            place.start.line + self.lines_before,
            place.start.column + 1,
            place.end.line + self.lines_before,
            place.end.column + 1,
        )

    def between(self, first: cst.CSTNode, last: cst.CSTNode) -> Span:
        """From the start of `first` to the end of `last`."""
        start, end = self.span(first), self.span(last)
        return Span(self.source, start.line, start.column, end.end_line, end.end_column)


def read_source(name: str, sink: Sink, path: Path | None = None) -> SourceFile | None:
    """The text of the file called `name` (and found at `path`), or None with the fault reported. Raises OSError."""
    return decode((path or Path(name)).read_bytes(), name, sink)


def decode(data: bytes, name: str, sink: Sink) -> SourceFile | None:
    """Text by Python's rules: a byte-order mark or a coding line, otherwise UTF-8. Line ends become LF."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as fault:
        _report_bad_byte(data, name, fault, sink)
        return None
    except (SyntaxError, LookupError) as fault:
        _report_bad_coding(data, name, fault, sink)
        return None
    return SourceFile(name, with_plain_ends(text))


def with_plain_ends(text: str) -> str:
    """`text` with LF for CRLF and CR, and without a byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _report_bad_byte(data: bytes, name: str, fault: UnicodeDecodeError, sink: Sink) -> None:
    before = with_plain_ends(data[: fault.start].decode(fault.encoding))
    source = SourceFile(name, with_plain_ends(data.decode(fault.encoding, errors="replace")))
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    sink.report(syntax.bad_byte(_at(source, line, column), data[fault.start], _spoken(fault.encoding)))


def _report_bad_coding(data: bytes, name: str, fault: Exception, sink: Sink) -> None:
    """The coding line names no encoding, or the first two lines, where one would stand, are not UTF-8."""
    has_coding_line = any(b"coding" in line for line in data.splitlines()[:2])
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as byte:
        if not has_coding_line:
            _report_bad_byte(data, name, byte, sink)
            return
    source = SourceFile(name, with_plain_ends(data.decode("utf-8", errors="replace")))
    line = next((place for place in (1, 2) if "coding" in source.line(place)), 1)
    column = max(source.line(line).find("coding"), 0) + 1
    sink.report(syntax.unknown_encoding(_at(source, line, column), str(fault).partition(";")[0]))


def _spoken(encoding: str) -> str:
    return "UTF-8" if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig") else encoding


def _at(source: SourceFile, line: int, column: int) -> Span:
    return Span(source, line, column, line, column + 1)


def tree_of(source: SourceFile, first: int, last: int, parse: ParseText | None = None) -> Tree:
    """The tree of lines `first` to `last`, known to be whole statements of Python, at any one indentation.

    `parse` is `parse_text`, or the same with a memory. Raises RecursionError, ParserSyntaxError.
    """
    text = "\n".join(source.lines[first - 1 : last]) + "\n"
    if "\f" in text:  # in front of a line it says nothing to Python, but libcst stumbles
        text = re.sub(r"^[ \t\f]*\f", "", text, flags=re.MULTILINE)
    if text[0] in " \t\f":
        text = "if True:\n" + text
        first -= 1
    module, positions = (parse or parse_text)(text)
    return Tree(source, module, positions, first - 1)


def parse_text(text: str) -> Parsed:
    """The tree of `text` with the place of each node."""
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    try:
        # `wrapper.resolve` would visit every node once more, for providers that nobody has asked for.
        positions = cast("Mapping[cst.CSTNode, CodeRange]", PositionProvider()._gen(wrapper))
    except KeyError as error:  # what libcst makes of a RecursionError on its way out of a deep nest
        raise RecursionError from error
    if not text.isascii():
        _normalise_names(positions)
    return wrapper.module, positions


def _normalise_names(nodes: Iterable[cst.CSTNode]) -> None:
    """Names that Python takes for one are one: in place, since the places of a copy would not be known."""
    for node in nodes:
        if isinstance(node, cst.Name) and not node.value.isascii():
            object.__setattr__(node, "value", unicodedata.normalize("NFKC", node.value))
