"""Comparisons of lanes that count on from one number, which a GPU makes on how far they are from there: right for every
number, those at the ends of the type among them, wherever the comparison stands and where lanes wrap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import pytest

from tests.support.everywhere import Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import native, tile


@tile.kernel
def relations(n: int, y: native.ptr[native.i32]) -> None:
    at = tile.program_id() * 512 + tile.arange(512)
    left = (at < n) + (at <= n) * 2 + (at > n) * 4 + (at >= n) * 8 + (at == n) * 16 + (at != n) * 32
    right = (n > at) + (n >= at) * 2 + (n < at) * 4 + (n <= at) * 8 + (n == at) * 16 + (n != at) * 32
    tile.store(y, at, left * 64 + right)


@tile.kernel
def moved(base: int, n: int, y: native.ptr[native.i32]) -> None:
    at = tile.arange(512)
    lane = at - 256
    tile.store(y, at, (lane < n) + (lane * 2 < n) * 2 + (base + at < n) * 4 + (at - base <= n) * 8)


@tile.kernel
def scopes(n: int, turns: int, x: native.const_ptr[native.f32], y: native.ptr[native.i32]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    count = at - at
    if n > 100:
        xs = tile.load(x, at, at < n)
        count = count + (at < n) + (xs > 0.5) * 2
    else:
        xs = tile.load(x, at, at < n, -1.0)
        count = count + (at < n) * 3 + (xs < 0.0) * 5
    for i in range(turns):
        count = count + (at < i * 100)
        if i == 2:
            tile.store(y, at, count, at < i * 100)
    tile.store(y, at, count, at < n)
"""
NAMES: Final = ("relations", "moved")
ENDS: Final = (-(2**63), 2**63 - 1)


@cache
def text() -> Text:
    return Text(SOURCE, "bounds")


@pytest.mark.parametrize("n", [*ENDS, *(end + by for end in (-1, 0, 511, 512, 700, 1023, 2**31) for by in (0, 1))])
def test_relations(n: int, targets: Sequence[Target]) -> None:
    found = check_everywhere(
        text(), [Step("relations", (2,), None, (n, "y"))], {"y": np.zeros(1024, np.int32)}, targets
    )
    at = np.arange(1024)
    ways = (at < n, at <= n, at > n, at >= n, at == n, at != n)
    wanted = sum(way * 2**place for place, way in enumerate(ways))
    assert (found["y"] == wanted * 65).all()


@pytest.mark.parametrize("n", [*ENDS, -257, -256, 0, 255, 256])
@pytest.mark.parametrize("base", [*ENDS, 0, 2**63 - 300, 300 - 2**63])
def test_lanes_that_wrap(base: int, n: int, targets: Sequence[Target]) -> None:
    arrays = {"y": np.zeros(512, np.int32)}
    found = check_everywhere(text(), [Step("moved", (1,), None, (base, n, "y"))], arrays, targets)
    at = np.arange(512)
    with np.errstate(over="ignore"):
        ways = (at - 256 < n, (at - 256) * 2 < n, np.int64(base) + at < n, at - np.int64(base) <= n)
    assert (found["y"] == sum(way * 2**place for place, way in enumerate(ways))).all()


@pytest.mark.parametrize("n", [-5, 77, 300, 512])
@pytest.mark.parametrize("turns", [0, 2, 5])
def test_scopes(n: int, turns: int, targets: Sequence[Target]) -> None:
    x = np.random.default_rng(n + 9).standard_normal(512).astype(np.float32)
    arrays = {"x": x, "y": np.zeros(512, np.int32)}
    found = check_everywhere(text(), [Step("scopes", (2,), None, (n, turns, "x", "y"))], arrays, targets)
    at = np.arange(512)
    inside = at < n
    count = inside + (inside & (x > 0.5)) * 2 if n > 100 else inside * 3 + (~inside | (x < 0)) * 5
    wanted = np.zeros(512, int)
    for i in range(turns):
        count = count + (at < i * 100)
        if i == 2:
            wanted = np.where(at < 200, count, wanted)
    assert (found["y"] == np.where(inside, count, wanted)).all()


def test_the_text_compares_what_is_left() -> None:
    emitted = re.sub(r"(?m)^ *//.*| {2}//.*$", "", text().emitted("cuda"))
    relations, moved = (re.search(rf"^{name}\(.*?^}}", emitted, re.DOTALL | re.MULTILINE) for name in NAMES)
    assert relations is not None
    assert moved is not None
    assert relations[0].count("const int64_t first = ") == 1
    assert "at < n" not in relations[0]
    assert (
        moved[0].count("int32_t bound") == 1
    )  # of lanes that may wrap, or are no neighbours, all 64 bits are compared
    assert len(re.findall(r" <=? n\)", moved[0])) == 3
