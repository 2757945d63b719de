"""What a faulty program raises. Stands apart, so that a launch of a kernel without faults loads no diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transpile.diagnostics.core import Diagnostic


class CompileError(Exception):
    """The user's program cannot be compiled; `str()` is the rendered diagnostics, without colour."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        from transpile.diagnostics.render import render_all  # rendering is only paid for when the text is wanted

        return render_all(self.diagnostics)
