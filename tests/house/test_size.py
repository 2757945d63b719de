"""No file and no function grows past what can be read at once, and nothing is left half-said."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MOST_LINES: Final = 400
MOST_FUNCTION_LINES: Final = 60
CODE: Final = (".py", ".hpp", ".cpp", ".h", ".cuh", ".cu", ".j2")
# Path, or path:function, with the reason.
EXCEPTIONS: Final = {
    "transpile/lang/tile.py": "one function for each operation, written from the table",
}
# Put together here, so that this file does not hold them.
LEFT_OVER: Final = ("TO" + "DO", "FIX" + "ME", "XX" + "X")


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


FILES: Final = [path for path in tracked() if path.suffix in CODE]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each function with the number of lines from `def` to its end, without its docstring."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            length -= (first.end_lineno or first.lineno) - first.lineno + 1
        yield node.name, length


def long_files() -> dict[str, int]:
    """Lines by path."""
    lines = {name_of(path): path.read_bytes().count(b"\n") for path in FILES}
    return {name: count for name, count in lines.items() if count > MOST_LINES}


def long_functions() -> dict[str, int]:
    """Lines by path:function."""
    found: dict[str, int] = {}
    for path in FILES:
        if path.suffix != ".py":
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue  # a bad program of the tests
        found |= {f"{name_of(path)}:{name}": count for name, count in functions(tree) if count > MOST_FUNCTION_LINES}
    return found


def test_every_file_can_be_read() -> None:
    assert not {name: lines for name, lines in long_files().items() if name not in EXCEPTIONS}


def test_nothing_is_left_over() -> None:
    texts = {name_of(path): path.read_text(encoding="utf-8", errors="replace") for path in FILES}
    assert not [name for name, text in texts.items() if any(word in text for word in LEFT_OVER)]


def test_every_function_can_be_read() -> None:
    assert not {name: lines for name, lines in long_functions().items() if name not in EXCEPTIONS}


def test_every_exception_is_still_needed() -> None:
    assert all(EXCEPTIONS.values()), "give the reason"
    assert not set(EXCEPTIONS) - {*long_files(), *long_functions()}
