"""Holds docs/devices.md to the code, and runs its examples for a GPU where there is one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.cli.program import ROOT, python

PAGE: Final = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
VECTORS: Final = re.compile(r"```python\n(?P<text># vectors\.py\n.*?)```", re.DOTALL)
ON_A_GPU: Final = re.compile(r"```python gpu\n(?P<code>.*?)```\n\n```text\n(?P<output>.*?)```", re.DOTALL)
# Read by others than us, or named only to say where something is by default.
OTHERS: Final = {"XDG_CACHE_HOME", "TERM", "COLUMNS", "CUDA_VISIBLE_DEVICES"}


def test_every_variable_of_the_environment_is_told_of() -> None:
    settings = (ROOT / "transpile" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r'"([A-Z][A-Z_]+)"', settings))
    for folder in ("runtime_cpp", "transpile/templates"):
        for path in (ROOT / folder).rglob("*.*"):
            read |= set(re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding="utf-8")))
    table = PAGE.partition("## Environment variables")[2]
    told = set(
        re.findall(r"`([A-Z][A-Z_]+)`", "\n".join(line.split("|")[1] for line in table.splitlines() if "|" in line))
    )
    assert read - OTHERS == told - OTHERS


def test_the_examples_are_whole() -> None:
    assert VECTORS.search(PAGE) is not None
    assert PAGE.count("```python gpu") == len(ON_A_GPU.findall(PAGE)) > 0
    for found in ON_A_GPU.finditer(PAGE):
        compile(found["code"], "devices.md", "exec")


@pytest.mark.gpu
def test_the_examples_on_a_gpu(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    vectors = VECTORS.search(PAGE)
    assert vectors is not None
    (tmp_path / "vectors.py").write_text(vectors["text"], encoding="utf-8")
    run("-m", "transpile", "build", "vectors.py", "--target", "cuda", folder=tmp_path)
    for found in ON_A_GPU.finditer(PAGE):
        assert run("-c", found["code"], folder=tmp_path) == found["output"]


def run(*arguments: str, folder: Path) -> str:
    found = python(*arguments, folder=folder)
    assert found.code == 0, found.err
    return found.out
