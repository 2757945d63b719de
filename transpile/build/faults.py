"""What can be wrong with compilers, drivers and devices. Stands apart, so that a launch that needs no compiler loads
none of what finds and runs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class ToolchainMissingError(RuntimeError):
    """No usable compiler, driver or device; the message says what to install."""


class UnknownProcessorError(Exception):
    """A processor or GPU that the compiler at hand does not compile for; the message is the compiler's, or has what it
    knows."""


@dataclass
class CompilerError(Exception):
    """A compiler refused text that we wrote, or did not end: our fault, not the user's."""

    command: tuple[str, ...]
    output: str
    folder: Path | None = None  # where the texts are kept that it refused

    def __str__(self) -> str:
        from shlex import join  # a launch that fails at nothing does without

        kept = f"\n(what was compiled is in {self.folder})" if self.folder is not None else ""
        return f"{join(self.command)}\n{self.output}{kept}"
