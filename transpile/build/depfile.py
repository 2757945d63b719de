"""Files and what they were made from, as a rule of a Makefile: how CMake, Ninja and make learn when to run us again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from transpile.build.cache import write_whole


def rule(made: Iterable[str | Path], read: Iterable[str | Path]) -> str:
    """The rule, every path absolute."""
    targets = " ".join(_escaped(path) for path in made)
    return f"{targets}: {' '.join(_escaped(path) for path in sorted(map(os.path.abspath, read)))}\n"


def write_rule(path: Path, made: Iterable[str | Path], read: Iterable[str | Path]) -> None:
    """Raises OSError."""
    write_whole(path, rule(made, read).encode("utf-8", "surrogateescape"))


def _escaped(path: str | Path) -> str:
    text = os.path.abspath(path).replace("$", "$$")
    return "".join(f"\\{each}" if each in " #" else each for each in text)
