"""The rows of `examples/norms.py` have one result on every target, and it is that of the mathematics, rounded once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.everywhere import Step, Target, Text, check_everywhere
from transpile.dtypes import BF16, F16, F32, DType
from transpile.ops.convert import convert

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "norms.py"
SIZES: Final = (64, 1024, 4096)
ROWS: Final = 3


@cache
def text() -> Text:
    instances = {name: [(size,) for size in SIZES] for name in ("softmax", "layer_norm")}
    return Text(EXAMPLE.read_text(encoding="utf-8"), "norms", instances)


def bits(values: NDArray[np.float64], dtype: DType) -> NDArray[np.uint16]:
    return convert(values.astype(np.float32), F32, dtype)


def numbers(array: NDArray[np.uint16], dtype: DType) -> NDArray[np.float64]:
    return convert(array, dtype, F32).astype(np.float64)


@pytest.mark.parametrize(("size", "cols"), [(64, 50), (1024, 1024), (1024, 777), (4096, 4095)])
def test_softmax(size: int, cols: int, targets: Sequence[Target]) -> None:
    x = bits(np.random.default_rng(size).normal(0, 4, ROWS * cols), F16)
    arrays = {"x": x, "out": np.zeros(ROWS * cols, np.uint16)}
    found = check_everywhere(
        text(), [Step(f"softmax__{size}", (ROWS,), None, (size, cols, "x", "out"))], arrays, targets
    )
    rows = numbers(x, F16).reshape(ROWS, cols)
    powers = np.exp(rows - rows.max(1, keepdims=True))
    judged = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(numbers(found["out"], F16).reshape(ROWS, cols), judged, rtol=1e-3, atol=2**-24)


@pytest.mark.parametrize(("size", "cols"), [(64, 64), (1024, 1024), (1024, 1001), (4096, 2730)])
def test_layer_norm(size: int, cols: int, targets: Sequence[Target]) -> None:
    random = np.random.default_rng(size + 1)
    arrays = {name: bits(random.normal(1, 2, cols), BF16) for name in ("scale", "shift")}
    arrays |= {"x": bits(random.normal(3, 2, ROWS * cols), BF16), "out": np.zeros(ROWS * cols, np.uint16)}
    step = Step(f"layer_norm__{size}", (ROWS,), None, (size, cols, "x", "scale", "shift", "out"))
    found = check_everywhere(text(), [step], arrays, targets)
    rows = numbers(arrays["x"], BF16).reshape(ROWS, cols)
    normal = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-5)
    judged = normal * numbers(arrays["scale"], BF16) + numbers(arrays["shift"], BF16)
    np.testing.assert_allclose(numbers(found["out"], BF16).reshape(ROWS, cols), judged, rtol=5e-3, atol=1e-5)


def test_rows_are_moved_eight_lanes_at_once() -> None:
    emitted = text().emitted("cuda")
    assert re.search(r"load<\w+, 8, ", emitted)
    assert re.search(r"store<\w+, 8, ", emitted)
