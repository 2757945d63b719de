"""Kernels of every kind do on every target what plain Python and NumPy say: see `judged`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np
import pytest

from tests.run.judged import Case, Sizes
from tests.run.judges import arrays, atomics, flow, folds, numbers, powers, several, threads, tiles, waves
from tests.support.bits import explain, same_bits
from tests.support.everywhere import Step, Target, Text, check_everywhere

PROGRAMS: Final = Path(__file__).parent / "programs"
JUDGES: Final[dict[str, ModuleType]] = {
    "tiles": tiles,
    "threads": threads,
    "numbers": numbers,
    "flow": flow,
    "folds": folds,
    "atomics": atomics,
    "arrays": arrays,
    "several": several,
    "powers": powers,
    "waves": waves,
}
INSTANCES: Final = {"numbers": {"static_one": [(16, 1), (64, 3), (1, 2), (4096, 0)]}}


# What a kernel of these promises holds of no array that begins between.
ALIGNED: Final = ("several",)


@cache
def text(name: str) -> Text:
    return Text((PROGRAMS / f"{name}.py").read_text(encoding="utf-8"), name, INSTANCES.get(name, {}))


def check(name: str, case: Case, targets: Sequence[Target]) -> None:
    arrays = {f"a{place}": each for place, each in enumerate(case.arguments) if isinstance(each, np.ndarray)}
    given = tuple(f"a{place}" if f"a{place}" in arrays else each for place, each in enumerate(case.arguments))
    block = None if case.block is None else as_tuple(case.block)
    found = check_everywhere(text(name), [Step(case.kernel, as_tuple(case.grid), block, given)], arrays, targets)
    copies = [each.copy() if isinstance(each, np.ndarray) else each for each in case.arguments]
    with np.errstate(all="ignore"):
        case.expects(*copies)
    for key, array in found.items():
        expected = copies[int(key[1:])]
        assert same_bits(expected, array), f"{case.kernel}: " + explain(key, expected, array, "the judge", "reference")


def as_tuple(sizes: Sizes) -> tuple[int, ...]:
    return sizes if isinstance(sizes, tuple) else (sizes,)


@pytest.mark.parametrize("name", JUDGES)
def test_programs(name: str, targets: Sequence[Target]) -> None:
    with np.errstate(all="ignore"):
        cases = list(JUDGES[name].cases())
    able = [target for target in targets if not target.shift or name not in ALIGNED]
    for case in cases:
        check(name, case, able)
