"""Generated programs launched from Python, as `run --target cuda` does: what NVRTC makes of them has the reference's
bits. The other texts of the same programs are compared in tests/fuzz."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

import transpile
from tests.fuzz.generate import by_hypothesis
from tests.fuzz.program import Program, module_text
from tests.support.bits import explain, same_bits
from transpile import cuda, tile

PROGRAMS: Final = 40


def imported(programs: Sequence[Program], folder: Path) -> ModuleType:
    path = folder / "launched.py"
    path.write_text(module_text(programs), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("launched", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def launched(module: ModuleType, program: Program, number: int, target: str) -> dict[str, Any]:
    """The program's arrays after its launches on a target."""
    arrays = program.make_arrays()
    with transpile.target(target):
        for step in program.numbered_steps(number):
            kernel = getattr(module, step.function.partition("__")[0])  # `tile3__64` is an instance of `tile3`
            arguments = [arrays[each] if isinstance(each, str) else each for each in step.arguments]
            if step.block is not None:
                cuda.launch(kernel, step.grid, step.block, *arguments)
            elif step.grid is not None:
                tile.launch(kernel, step.grid, *arguments)
            else:
                kernel(*arguments)
    return arrays


def compare(programs: Sequence[Program], target: str, folder: Path) -> list[str]:
    """What differs between the reference and the target."""
    module, found = imported(programs, folder), []
    for number, program in enumerate(programs):
        expected, got = launched(module, program, number, "reference"), launched(module, program, number, target)
        found += [
            f"program {number}: {explain(name, expected[name], got[name], 'reference', target)}"
            for name in expected
            if not same_bits(expected[name], got[name])
        ]
    return found


@pytest.mark.gpu
def test_generated_programs_on_the_device(tmp_path: Path) -> None:
    assert compare(by_hypothesis(5105, PROGRAMS), "cuda", tmp_path) == []


def test_a_generated_program_on_the_cpu(tmp_path: Path) -> None:
    assert compare(by_hypothesis(5105, 1), "cpu", tmp_path) == []
