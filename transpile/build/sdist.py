"""Makes the tree of an sdist build without `transpile`: two edits, of the copies of setup.py and pyproject.toml.

setup.py finds the carried package first; pyproject.toml asks for pybind11 and no longer for `transpile`.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from transpile.build.carried import FOLDER

PYBIND11: Final = "pybind11>=2.13"
FIND_CARRIED: Final = (
    f'import sys; sys.path.insert(0, "{FOLDER}")  # the sources made by transpile, and what builds them\n'
)
DEFAULT_PYPROJECT: Final = f"""\
[build-system]
requires = ["setuptools>=64", "{PYBIND11}"]
build-backend = "setuptools.build_meta:__legacy__"
"""
_BUILD_SYSTEM: Final = re.compile(r"^\[build-system\][^\n]*\n(?:(?!\[[\w\"'\[])[^\n]*\n?)*", re.MULTILINE)
_REQUIRES: Final = re.compile(r"^[ \t]*requires[ \t]*=[ \t]*\[", re.MULTILINE)
_NAME: Final = re.compile(r"\s*([\w.-]+)")
_TOML_TOKEN: Final = re.compile(
    r"\"(?P<basic>(?:[^\"\\\n]|\\.)*)\"|'(?P<literal>[^'\n]*)'|#[^\n]*|(?P<end>\])|[^\"'#\]]+"
)


class SdistError(Exception):
    """An sdist that would not build elsewhere; the message says why, and what to write instead."""


def complete(tree: Path) -> None:
    """Edits setup.py and pyproject.toml in the tree of an sdist. Raises SdistError."""
    setup = tree / "setup.py"
    if setup.is_file():
        text = setup.read_text(encoding="utf-8")
        _replace(setup, text, finding_carried(text))
    pyproject = tree / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8") if pyproject.is_file() else ""
    _replace(pyproject, text, without_transpile(text))


def _replace(path: Path, old: str, new: str) -> None:
    if new == old:
        return
    if path.exists():
        os.unlink(path)  # it may be a hard link to the project's own
    path.write_text(new, encoding="utf-8")


def finding_carried(text: str) -> str:
    """The text of a setup.py, with the carried package on the path before anything is imported; as it was where it sees
    to that itself. Raises SdistError."""
    if FOLDER in text:
        return text
    body = ast.parse(text).body
    first = next((node for node in body if not _must_come_first(node)), None)
    if first is None:
        return text
    lines = text.splitlines(keepends=True)
    before = lines[first.lineno - 1].encode()[: first.col_offset]
    if before.strip():
        raise SdistError(
            f"setup.py:{first.lineno}: begin this statement on a line of its own, so that one can go above it"
        )
    lines.insert(first.lineno - 1, FIND_CARRIED)
    return "".join(lines)


def _must_come_first(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def without_transpile(text: str) -> str:
    """The text of a pyproject.toml, whose build requires pybind11 and not `transpile`. Raises SdistError."""
    section = _BUILD_SYSTEM.search(text)
    if section is None:
        return f"{text}\n{DEFAULT_PYPROJECT}" if text else DEFAULT_PYPROJECT
    opening = _REQUIRES.search(section[0])
    if opening is None:
        raise SdistError('pyproject.toml: write the requirements as `requires = ["..."]` under [build-system]')
    found, end = _strings(section[0], opening.end())
    kept = [(name, raw) for name, raw in found if name != "transpile"]
    if not any(name == "pybind11" for name, _ in kept):
        kept.append(("pybind11", f'"{PYBIND11}"'))
    if kept == found:
        return text
    start = section.start() + opening.end()
    return f"{text[:start]}{', '.join(raw for _, raw in kept)}{text[section.start() + end :]}"


def _strings(text: str, start: int) -> tuple[list[tuple[str, str]], int]:
    """The strings of a TOML array that begins at `start`: the project each names, and how it is written; and where the
    closing bracket is. Raises SdistError."""
    found: list[tuple[str, str]] = []
    for token in _tokens(text, start):
        if token["end"] is not None:
            return found, token.start()
        inner = token["basic"] if token["basic"] is not None else token["literal"]
        name = _NAME.match(inner) if inner is not None else None
        if name is not None:
            found.append((re.sub(r"[-_.]+", "-", name[1]).lower(), token[0]))
    raise SdistError("pyproject.toml: the requirements under [build-system] do not end")


def _tokens(text: str, start: int) -> Iterator[re.Match[str]]:
    while (token := _TOML_TOKEN.match(text, start)) is not None:
        yield token
        start = token.end()
