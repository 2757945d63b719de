"""How a command says that it failed, by whose fault it was."""

from __future__ import annotations

import os
import sys
import tempfile

from transpile.build.toolchain import CompilerError, ToolchainMissingError
from transpile.cli import INTERNAL, TOOLCHAIN_MISSING, USER_ERROR
from transpile.commands.terminal import print_diagnostics
from transpile.diagnostics.core import CompileError

TRACKER = "the issue tracker of transpile"


def report(error: Exception, command: str) -> int:
    """Prints what went wrong on stderr and returns the exit code."""
    if isinstance(error, CompileError):
        print_diagnostics(error.diagnostics, sys.stderr)
        return USER_ERROR
    if isinstance(error, ToolchainMissingError):
        print(f"{command}: {error}", file=sys.stderr)
        return TOOLCHAIN_MISSING
    if isinstance(error, CompilerError):
        print(f"{command}: a compiler refused what transpile wrote: a fault of transpile, not yours.", file=sys.stderr)
        print(f"Please send {_saved(str(error))} and the source file to {TRACKER}.", file=sys.stderr)
        return INTERNAL
    if isinstance(error, OSError) and error.filename is not None:
        print(f"{command}: {error.filename}: {error.strerror}", file=sys.stderr)
        return USER_ERROR
    print(f"{command}: internal error: {type(error).__name__}: {error}", file=sys.stderr)
    print(
        f"This is a fault of transpile. Please send the source file and what TRANSPILE_DEBUG=1 {command} … prints "
        f"to {TRACKER}.",
        file=sys.stderr,
    )
    return INTERNAL


def _saved(text: str) -> str:
    """The path of a file that holds `text`."""
    handle, path = tempfile.mkstemp(prefix="transpile-failure-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path
