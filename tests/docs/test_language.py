"""Runs every example of the documentation: what the pages say is printed is what is printed.

`UPDATE_DOCS=1 pytest tests/docs` writes the outputs that were seen into the pages, to be read before a commit.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from transpile.diagnostics.core import CompileError
from transpile.pipeline import load_and_check

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "language.md", DOCS / "devices.md")
FENCES = re.compile(r"```python\n(?P<code>.*?)```\n\n```(?P<kind>text|error)\n(?P<output>.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Example:
    page: Path
    code: str
    kind: str
    output: str

    def __str__(self) -> str:
        found = re.search(r"def (\w+)", self.code)
        return f"{self.page.stem}-{found.group(1) if found else 'example'}"


def examples() -> list[Example]:
    return [
        Example(page, found["code"], found["kind"], found["output"])
        for page in PAGES
        for found in FENCES.finditer(page.read_text(encoding="utf-8"))
    ]


def test_every_python_block_is_run() -> None:
    blocks = sum(page.read_text(encoding="utf-8").count("```python\n") for page in PAGES)
    assert blocks == len(examples()) > 0


@pytest.mark.parametrize("example", examples(), ids=str)
def test_example(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "example.py"
    file.write_text(example.code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if example.kind == "error":
        with pytest.raises(CompileError) as caught:
            load_and_check("example.py")
        seen = str(caught.value).rstrip("\n") + "\n"
    else:
        command = [sys.executable, str(file)]
        environment = {**os.environ, "TRANSPILE": "reference"}
        seen = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment).stdout
    if os.environ.get("UPDATE_DOCS"):
        page = example.page.read_text(encoding="utf-8")
        before = f"```python\n{example.code}```\n\n```{example.kind}\n{example.output}```"
        assert before in page
        after = f"```python\n{example.code}```\n\n```{example.kind}\n{seen}```"
        example.page.write_text(page.replace(before, after), encoding="utf-8")
        return
    assert seen == example.output
