"""What is the same in every lane is folded as a scalar is: no constant NaN is left for a compiler to make."""

from __future__ import annotations

import pytest

from tests.support.everywhere import Text

SOURCE = """
from transpile import native, tile


@tile.kernel
def kernel(a: float, x: native.const_ptr[float], out: native.ptr[bool]) -> None:
    lane = tile.arange({lanes})
    none = tile.cast(tile.arange(1), native.i32)
    always = tile.where(lane >= 0, 3, 4)
    tile.store(out, {where}, {stored})
"""


def stored(value: str, lanes: int) -> str:
    """What the kernel stores, in CUDA."""
    text = Text(SOURCE.format(stored=value, lanes=lanes, where="lane" if lanes > 1 else "lane * 1"), "program")
    body = text.emitted("cuda").partition("kernel(double")[2].partition("\n}\n")[0]
    lines = [line.partition("//")[0] for line in body.split("\n")]
    return next(line for line in lines if "out[" in line or "*out" in line).partition(" = ")[2].strip()


@pytest.mark.parametrize(
    ("value", "lanes", "expected"),
    [
        ("tile.isinf(none / none)", 1, "false;"),
        ("~tile.isinf(none / none)", 1, "true;"),
        ("(none / none) != (none / none)", 1, "true;"),
        ("tile.cast(none + 1, bool)", 1, "true;"),
        ("always == 3", 8, "true;"),
    ],
)
def test_alike_lanes_are_folded(value: str, lanes: int, expected: str) -> None:
    assert stored(value, lanes) == expected


def test_lanes_that_differ_are_not() -> None:
    assert stored("lane == 3", 8) == "lane == 3;"
    assert stored("tile.load(x, lane) == 3.0", 8) == "x[lane] == 3.0;"


NARROW = """
from transpile import native, tile


@tile.kernel
def kernel(x: native.const_ptr[native.f16], out: native.ptr[native.f32], top: native.ptr[native.f16]) -> None:
    lane = tile.arange(32)
    row = tile.load(x, lane)
    most = tile.max(row)
    tile.store(out, lane, row - {subtracted})
    tile.store(top, 0, {stored})
"""


@pytest.mark.parametrize(
    ("subtracted", "stored", "narrowings"),
    [("most", "1.0", 0), ("most", "most", 1), ("tile.cast(tile.sum(row), native.f16)", "1.0", 1)],
)
def test_a_fold_that_keeps_a_narrow_type_rounds_nothing(subtracted: str, stored: str, narrowings: int) -> None:
    text = Text(NARROW.format(subtracted=subtracted, stored=stored), "program").emitted("cpu")
    assert text.partition("void kernel(")[2].count("to_f16(") == narrowings
