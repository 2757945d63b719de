"""Programs through KIR, evaluated strictly, give the reference's bits: the hand-made ones and generated ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.fuzz.generate import by_seed
from tests.fuzz.program import module_instances, module_text
from tests.lowering_kir.running import check_kir
from tests.support.everywhere import Step, Text

PROGRAMS: Final = Path(__file__).parent / "programs"


def source(name: str) -> Text:
    return Text((PROGRAMS / f"{name}.py").read_text(encoding="utf-8"), name)


def arrays() -> dict[str, Any]:
    values = np.random.default_rng(5).standard_normal(400) * 3
    return {"x": values, "out": np.zeros(400), "counts": np.zeros(400, np.int64)}


@pytest.mark.parametrize("n", [0, 1, 40, 64])
def test_variables(n: int) -> None:
    check_kir(source("variables"), [Step("all_of_them", (2,), (32,), (n, "x", "out", "counts"))], arrays())


@pytest.mark.parametrize("kernel", ["tree", "butterfly"])
def test_exchanges(kernel: str) -> None:
    check_kir(source("exchanges"), [Step(kernel, (3,), (64,), ("x", "out"))], arrays())


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize(("kernel", "block"), [("leaves_early", (64,)), ("skips", (16, 3)), ("skips", (5, 2))])
def test_threads_that_leave(kernel: str, block: tuple[int, ...], n: int) -> None:
    check_kir(source("exchanges"), [Step(kernel, (1,), block, (n, "x", "out"))], arrays())


@pytest.mark.parametrize("number", range(40))
def test_generated_programs(number: int) -> None:
    program = by_seed(number)
    text = Text(module_text([program]), "fuzz", module_instances([program]))
    check_kir(text, program.numbered_steps(0), program.make_arrays())
