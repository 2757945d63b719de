"""What the tests of the frontend share: a text loaded, with what was said of it."""

from __future__ import annotations

from pathlib import Path

from transpile.diagnostics.core import Diagnostic, Sink
from transpile.diagnostics.render import render_all
from transpile.frontend.load import load_text
from transpile.ir import hir
from transpile.source import SourceFile

HEADER = "from transpile import cuda, native, tile\n"


def load(text: str, directory: Path | None = None) -> tuple[hir.Module | None, tuple[Diagnostic, ...]]:
    """The module of a text and its faults."""
    sink = Sink()
    module = load_text(SourceFile("kernels.py", text), "kernels", sink, directory)
    return module, tuple(sink)


def good(text: str, directory: Path | None = None) -> hir.Module:
    """The module of a text without faults."""
    module, faults = load(text, directory)
    assert module is not None
    assert not faults, render_all(faults)
    return module


def codes(text: str, directory: Path | None = None) -> list[tuple[str, int, int]]:
    """Code, line and column of each fault, in order."""
    _, faults = load(text, directory)
    return [(fault.code, fault.primary.span.line, fault.primary.span.column) for fault in faults]


def kernel(*body: str, before: str = "", parameters: str = "n: int, x: native.ptr[float]") -> str:
    """A file with one thread kernel; its body begins on the line after the `def`."""
    lines = "".join(f"    {line}\n" for line in body)
    return f"{HEADER}{before}\n\n@cuda.kernel\ndef kernel({parameters}) -> None:\n{lines}"
