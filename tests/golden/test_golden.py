"""The emitted texts of the examples, to the letter.

`python -m tests.golden.test_golden` writes the texts anew. The two budgets are the product's: a reader counts lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.support.everywhere import Text
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.emit.header import render_header
from transpile.emit.unit import Provenance
from transpile.lowering.fold import fold_module
from transpile.lowering.lower import lower_module

HERE: Final = Path(__file__).parent
EXAMPLES: Final = Path(__file__).parents[2] / "examples"
PROGRAMS: Final = {
    **{name: EXAMPLES / f"{name}.py" for name in ("activation", "norms", "saxpy", "terrain", "tiles")},
    "reports": HERE / "reports.py",
}
INSTANCES: Final = {"norms": {"softmax": [(1024,)]}}
KINDS: Final = ("cuda", "hip", "cpu", "header")
CASES: Final = [(kind, name) for kind in KINDS for name in PROGRAMS]
MOST_LINES: Final = {"tiles": 160, "saxpy": 95}
MOST_COLUMNS: Final = 100


def golden(kind: str, name: str) -> Path:
    return HERE / kind / f"{name}{'.h' if kind == 'header' else BACKENDS[kind].suffix}"


def text_of(kind: str, name: str, lines: pipeline.Lines = "comment") -> str:
    text = Text(PROGRAMS[name].read_text(encoding="utf-8"), name, INSTANCES.get(name, {}))
    if kind == "header":
        module = lower_module(fold_module(text.typed), BACKENDS["cpu"])
        return render_header(module, Provenance(source=f"{name}.py", stem=name, code="5f3c9a1e"))
    hir, typed = text.loaded
    return pipeline.emit_typed(hir, typed, BACKENDS[kind], pipeline.Options(lines=lines))  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_text_is_as_written(kind: str, name: str) -> None:
    assert text_of(kind, name) == golden(kind, name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_lines_are_short(kind: str, name: str) -> None:
    assert not [line for line in text_of(kind, name).split("\n") if len(line) > MOST_COLUMNS]


@pytest.mark.parametrize("name", MOST_LINES)
def test_the_text_is_short(name: str) -> None:
    assert text_of("cuda", name).count("\n") <= MOST_LINES[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_lines_option(name: str) -> None:
    plain, directed = text_of("cuda", name, "none"), text_of("cuda", name, "directive")
    kept = [line for line in directed.split("\n") if not line.startswith("#line ")]
    assert kept == plain.split("\n")
    numbered = [line for line in directed.split("\n") if line.startswith("#line ")]
    assert {line.split()[2] for line in numbered} == {f'"{name}.py"', f'"{name}.cu"'}
    for place, line in enumerate(directed.split("\n"), 1):
        if line.endswith(f'"{name}.cu"'):
            assert int(line.split()[1]) == place + 1


if __name__ == "__main__":
    for case in CASES:
        golden(*case).parent.mkdir(exist_ok=True)
        golden(*case).write_text(text_of(*case), encoding="utf-8")
