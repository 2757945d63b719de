"""What is said of bad programs, word for word: for every code, and every row of the table of unsupported syntax."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.diagnostics.golden import (
    HERE,
    REGENERATES,
    example_path,
    least_python,
    programs,
    said,
    write_examples,
)
from transpile.diagnostics.catalogue.table import CATALOGUE
from transpile.frontend.unsupported import Row, all_rows

if REGENERATES:
    write_examples()

LANGUAGE = HERE.parent.parent / "transpile"


@pytest.mark.parametrize("program", programs(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_program_gets_its_exact_message(program: Path) -> None:
    if sys.version_info < (3, least_python(program)):
        pytest.skip("this Python does not know the syntax")
    found, text = said(program)
    expected = program.with_suffix(".err")
    if REGENERATES:
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
    assert {fault.code for fault in found} == {program.parent.name}


@pytest.mark.parametrize("code", CATALOGUE)
def test_example_of_the_catalogue_is_a_golden_program(code: str) -> None:
    assert example_path(code).read_bytes().decode() == CATALOGUE[code].example


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.key)
def test_row_of_unsupported_syntax_has_a_golden_program(row: Row) -> None:
    folder = HERE / "unsupported-syntax"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob(f"*{row.key}.err")]
    assert any(f"cannot hold {row.what}\n" in text for text in texts)


def test_every_code_that_is_built_is_in_the_catalogue() -> None:
    used = {
        keyword.value.value
        for path in sorted((LANGUAGE / "diagnostics").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant)
    }
    assert used == set(CATALOGUE)
