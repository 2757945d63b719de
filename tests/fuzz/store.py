"""Programs that once failed, as files: a first line of JSON in a comment (arrays and launches), then the text."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tests.fuzz.program import ArraySpec, Program
from tests.support.everywhere import Step

FOLDER: Final = Path(__file__).parent / "kept"
OPENING: Final = "# run: "


def write(program: Program, path: Path) -> None:
    """Keeps a program."""
    path.parent.mkdir(exist_ok=True)
    record = {
        "dialect": program.dialect,
        "arrays": {name: asdict(spec) for name, spec in program.arrays.items()},
        "steps": [asdict(step) for step in program.steps],
        "instances": {name: [list(value) for value in values] for name, values in program.instances.items()},
    }
    path.write_text(f"{OPENING}{json.dumps(record)}\n{program.text}", encoding="utf-8")


def read(path: Path) -> Program:
    opening, text = path.read_text(encoding="utf-8").split("\n", 1)
    record: dict[str, Any] = json.loads(opening.removeprefix(OPENING))
    return Program(
        text=text,
        dialect=record["dialect"],
        arrays={name: ArraySpec(**spec) for name, spec in record["arrays"].items()},
        steps=[_step(step) for step in record["steps"]],
        instances={name: [tuple(value) for value in values] for name, values in record["instances"].items()},
    )


def _step(record: dict[str, Any]) -> Step:
    grid, block = record["grid"], record["block"]
    return Step(
        record["function"],
        None if grid is None else tuple(grid),
        None if block is None else tuple(block),
        tuple(record["arguments"]),
    )


def read_all() -> dict[str, Program]:
    """Every kept program by its file's name."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.py"))}
