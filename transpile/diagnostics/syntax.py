"""Faults of a file's text: it cannot be read, is not Python, or uses Python that kernels do not have."""

from __future__ import annotations

from transpile.diagnostics.core import Diagnostic, Label
from transpile.source import Span


def bad_byte(span: Span, byte: int, encoding: str) -> Diagnostic:
    return Diagnostic(
        code="bad-encoding",
        message=f"the byte 0x{byte:02x} is not {encoding}",
        primary=Label(span, "here"),
        help=("save the file as UTF-8, or name its encoding in the first line: `# -*- coding: latin-1 -*-`",),
    )


def unknown_encoding(span: Span, reason: str) -> Diagnostic:
    return Diagnostic(
        code="bad-encoding",
        message=reason,
        primary=Label(span),
        help=("save the file as UTF-8 and take the line with its encoding out",),
    )


def null_character(span: Span) -> Diagnostic:
    return Diagnostic(
        code="null-character",
        message="the file holds a null character, which Python does not accept",
        primary=Label(span, "here"),
        help=("save the file as UTF-8 text (UTF-16 looks like this)",),
    )


def syntax_error(span: Span, reason: str) -> Diagnostic:
    return Diagnostic(code="syntax-error", message=reason, primary=Label(span))


def not_read(span: Span) -> Diagnostic:
    """Python takes it, the parser that gives places does not."""
    return Diagnostic(
        code="syntax-error",
        message="this Python knows a syntax here that libcst does not",
        primary=Label(span),
        help=("write it in an older form, or install a newer libcst",),
    )


def too_deep(span: Span) -> Diagnostic:
    return Diagnostic(
        code="too-deep",
        message="this is nested too deeply to be read",
        primary=Label(span, "here or near"),
        help=("name parts of the expression in lines of their own, or make a long `elif` chain a loop",),
    )


def unsupported_syntax(span: Span, what: str, where: str, instead: str) -> Diagnostic:
    """`what` is the user's word for the construct, `where` the kind of function, `instead` the alternative."""
    return Diagnostic(
        code="unsupported-syntax",
        message=f"{where} cannot hold {what}",
        primary=Label(span),
        help=(instead,) if instead else (),
    )
