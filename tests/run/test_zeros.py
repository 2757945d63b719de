"""Zeros keep their sign: g++ 12 alone would make `-double(k)` of `0.0 - double(k)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tests.support.everywhere import Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import native, tile

NONE = 0.0


@tile.kernel
def differences(zero: float, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    lane = tile.arange(8)
    whole = tile.cast(lane, float)
    tile.store(out, lane, 0.0 - whole)
    tile.store(out, 8 + lane, NONE - tile.abs(tile.load(x, lane)))
    tile.store(out, 16 + lane, tile.cast(whole == 2.5, native.i32) - whole)
    tile.store(out, 24 + lane, tile.cast(lane > 8, float) - (whole + 0.0))
    tile.store(out, 32 + lane, zero - tile.cast(lane > 3, float))
    tile.store(out, 40 + lane, whole * 0.0 - whole)
    tile.store(out, 48 + lane, -(0.0 - whole) + 0.0)
"""


def test_differences_from_zero(targets: Sequence[Target]) -> None:
    arrays = {"x": np.array([0.0, -0.0, 1.0, -1.0, 5e-324, 0.0, -0.0, 2.0]), "out": np.ones(56)}
    text = Text(SOURCE, "zeros")
    got = check_everywhere(text, [Step("differences", (1,), None, (0.0, "x", "out"))], arrays, targets)["out"]
    assert not np.signbit(got[[0, 8, 9, 16, 24, 32, 40]]).any()
