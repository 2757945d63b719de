"""A cast to f32 rounds, whatever follows: g++ 12 alone would take `double(float(x))` for x, of two lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tests.support.everywhere import Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import cuda, native, tile


@cuda.device
def narrow(x: float) -> native.f32:
    return native.cast(x, native.f32)


@tile.kernel
def tiles(x: native.const_ptr[float], out: native.ptr[float]) -> None:
    two, four = tile.arange(2), tile.arange(4)
    tile.store(out, two, tile.cast(tile.load(x, two), native.f32))
    tile.store(out, 2 + two, tile.map(narrow, tile.load(x, two)))
    tile.store(out, 4 + four, narrow(tile.load(x, four)))


@cuda.kernel
def threads(x: native.const_ptr[float], out: native.ptr[float]) -> None:
    native.store(native.offset(out, 8), narrow(native.load(x)))
    native.store(native.offset(out, 9), narrow(native.load(native.offset(x, 1))))
"""


def test_a_cast_rounds(targets: Sequence[Target]) -> None:
    arrays = {"x": np.array([0.1, 1e-40, 1 / 3, 1e300]), "out": np.zeros(10)}
    text = Text(SOURCE, "narrowing")
    steps = [Step("tiles", (1,), None, ("x", "out")), Step("threads", (1,), (1,), ("x", "out"))]
    got = check_everywhere(text, steps, arrays, targets)["out"]
    with np.errstate(over="ignore"):
        rounded = arrays["x"].astype(np.float32).astype(np.float64)
    assert got.tolist() == rounded[[0, 1, 0, 1, 0, 1, 2, 3, 0, 1]].tolist()
