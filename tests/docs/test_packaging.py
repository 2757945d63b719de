"""Holds docs/packaging.md and the example's README to the example, and setup.py in the README to what it makes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from tests.packaging.conftest import EXAMPLE, ROOT, run

PAGE: Final = (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8")
FENCES: Final = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)


def block(start: str, page: str = PAGE) -> str:
    """The first block that starts so."""
    return next(found["text"] for found in FENCES.finditer(page) if found["text"].startswith(start))


def test_the_page_shows_the_example() -> None:
    assert block("# setup.py\n") == f"# setup.py\n{(EXAMPLE / 'setup.py').read_text()}"
    assert block("[build-system]") in (EXAMPLE / "pyproject.toml").read_text()
    assert (
        block("# signals/__init__.py\n").splitlines()[1]
        in (EXAMPLE / "signals" / "__init__.py").read_text().splitlines()
    )


def test_the_setup_of_the_readme(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("scale.py", "setup.py"):
        (tmp_path / name).write_text(block(f"# {name}\n", readme))
    path = {"PYTHONPATH": str(ROOT)}
    assert run(sys.executable, "setup.py", "--version", folder=tmp_path, given=path) == "1\n"
    for name in ("scale_ext.py", "scale_ext.pyi", "_transpiled/scale.cu", "_transpiled/scale.cpp"):
        assert (tmp_path / name).is_file()
