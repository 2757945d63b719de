"""Runs one bad program and gives what is said of it, word for word.

A program stands in `tests/diagnostics/<code>/NAME.py` with `NAME.err` beside it. `run_NAME.py` is executed; any other
is read as text and checked. `_NAME.py` is no program but a file that one imports. A first line `# python 3.12` says
which Python the program needs at least. `TRANSPILE_REGENERATE=1 python -m pytest -n0 tests/diagnostics` writes the
`.err` files, and each code's `example.py` from the catalogue: read the difference before it is committed.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path
from typing import Final

from transpile.diagnostics.catalogue.table import CATALOGUE
from transpile.diagnostics.core import CompileError, Diagnostic, Sink
from transpile.diagnostics.launch import KernelFault
from transpile.diagnostics.render import render_all
from transpile.frontend.load import load_text
from transpile.frontend.parse import read_source
from transpile.typing.check import check_module

HERE: Final = Path(__file__).parent
REGENERATES: Final = os.environ.get("TRANSPILE_REGENERATE") == "1"
_FOLDERS: Final = re.compile(r" /\S*/(?=[^/\s]+\.py:\d)")
_NEEDS: Final = re.compile(r"# python 3\.(\d+)")


def programs() -> list[Path]:
    """Every bad program, in order."""
    return sorted(path for path in HERE.glob("*/*.py") if not path.name.startswith("_"))


def least_python(program: Path) -> int:
    """The minor version of Python 3 that the program needs."""
    found = _NEEDS.match(program.read_text(encoding="utf-8", errors="replace"))
    return int(found[1]) if found else 0


def faults(program: Path, how: str) -> tuple[Diagnostic, ...]:
    """What is found in the program at `program`, read (`check`) or executed (`run`)."""
    return _executed(program) if how == "run" else _checked(program)


def said(program: Path) -> tuple[tuple[Diagnostic, ...], str]:
    """The faults of a golden program and their text, with files named as from its folder."""
    found = faults(program, "run" if program.name.startswith("run_") else "check")
    return found, _FOLDERS.sub(" ", render_all(found)) + "\n"


def _checked(program: Path) -> tuple[Diagnostic, ...]:
    sink = Sink()
    source = read_source(program.name, sink, program)
    module = load_text(source, program.stem, sink, program.parent) if source is not None else None
    if module is not None:
        check_module(module, sink, {})
    return tuple(sink)


def _executed(program: Path) -> tuple[Diagnostic, ...]:
    sys.path.insert(0, str(program.parent))
    try:
        runpy.run_path(str(program))
    except CompileError as error:
        return error.diagnostics
    except KernelFault as fault:
        return (fault.diagnostic,)
    finally:
        sys.path.remove(str(program.parent))
    return ()


def write_examples() -> None:
    """Writes the example of each row of the catalogue as a program of its own."""
    for entry in CATALOGUE.values():
        path = example_path(entry.code)
        path.parent.mkdir(exist_ok=True)
        path.write_text(entry.example, encoding="utf-8", newline="")


def example_path(code: str) -> Path:
    return HERE / code / f"{'run_' * (CATALOGUE[code].how == 'run')}example.py"
