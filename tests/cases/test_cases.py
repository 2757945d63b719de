"""Every case on every target, each in processes of its own with a time limit."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.cases import worker
from tests.cases.case import load_cases, skip_reason
from tests.cases.check import Place, check_case
from tests.support.tools import tool

TARGETS: Final = (
    *("reference", "cpu", "cuda", "hip"),
    *(pytest.param(f"{word} on the device", marks=pytest.mark.gpu) for word in ("cuda", "hip", "launched")),
)
CASES: Final = load_cases()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['theme']}")
def test_case(case: dict[str, Any], target: str, tmp_path: Path) -> None:
    reason = skip_reason(case)
    if reason:
        pytest.skip(reason)
    if target in worker.ON_DEVICE:
        tool("nvcc")
    check_case(case, Place(tmp_path, target))
