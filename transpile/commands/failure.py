"""How a command says that it failed, by whose fault it was."""

from __future__ import annotations

import sys

from transpile.build.faults import CompilerError, ToolchainMissingError
from transpile.cli import INTERNAL, TOOLCHAIN_MISSING, USER_ERROR
from transpile.commands.terminal import print_diagnostics
from transpile.diagnostics.raised import CompileError


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
        kept = error.folder if error.folder is not None else f"this:\n{error}"
        print(f"Please report it with your source file and {kept}", file=sys.stderr)
        return INTERNAL
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        print(f"{command}: {where}{error.strerror or error}", file=sys.stderr)
        return USER_ERROR
    print(f"{command}: internal error: {type(error).__name__}: {error}", file=sys.stderr)
    print("This is a fault of transpile, not yours. Please report it with your source file and what", file=sys.stderr)
    print(f"TRANSPILE_DEBUG=1 {command} ... prints.", file=sys.stderr)
    return INTERNAL
