"""Accesses that move several lanes of a thread at once give the bits of single ones: whatever is masked, wherever
arrays begin, in whatever order the lanes are folded and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
import pytest

from tests.support.everywhere import TARGETS, Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import cuda, native, tile


@cuda.device
def bent(x: native.f32, slope: native.f32, turns: int) -> native.f32:
    if x > 0.5:
        return x
    elif x != x:
        return -1.0
    for i in range(turns):
        x = x * slope
        if x > -0.125:
            break
    return x + 1.0


@tile.kernel
def masked(
    n: int,
    step: int,
    x: native.const_ptr[native.f32],
    i: native.const_ptr[native.i32],
    y: native.ptr[native.f32],
    j: native.ptr[native.i32],
) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    mask = at < n
    xs = tile.load(x, at, mask, -2.5)
    holes = tile.load(i, at, mask & (at % step != 0), 7)
    xs = bent(xs, 0.5, 3)
    tile.store(y, at, xs + holes, mask)
    tile.store(j, at + 1, holes * 3 + 1, (xs > 0.25) & mask)
    tile.store(y, at, tile.map(bent, xs, 0.25, holes), xs < 0)


@tile.kernel
def rows(size: native.static[int], n: int, x: native.const_ptr[native.f32], out: native.ptr[native.f32]) -> None:
    row = tile.program_id()
    lane = tile.arange(size)
    mask = lane < n
    xs = tile.load(x, row * n + lane, mask)
    total = tile.sum(xs)
    count = tile.sum(mask)
    mean = total / count
    away = tile.where(mask, xs - mean, 0.0)
    top = tile.max(away)
    tile.store(out, row * n + lane, away / tile.sqrt(tile.sum(away * away) + 1.0) + top, mask)
    tile.store(out, 8192 + row * 4, total)
    tile.store(out, 8193 + row * 4, tile.min(xs))
    tile.store(out, 8194 + row * 4, tile.sum(tile.where(xs > 0, xs * 0.5, xs)))
    narrow = tile.arange(64)
    tile.store(out, 8195 + row * 4, tile.sum(tile.load(x, row + narrow) * tile.load(x, narrow)))


@tile.kernel
def order(x: native.ptr[native.f32], out: native.ptr[native.f32]) -> None:
    lane = tile.arange(512)
    for k in range(4):
        xs = tile.load(x, lane)
        tile.store(x, lane + 1, xs + k)
        again = tile.load(x, lane)
        tile.store(x, lane, again * 0.5)
        tile.store(out, lane + k * 512, tile.load(x, lane) + xs)
    tile.store(x, lane * 2 % 512 + lane // 256, tile.load(x, lane))
    tile.store(out, lane, tile.load(x, lane) + tile.load(x, 511 - lane))


@tile.kernel(alias=True)
def shifted(x: native.ptr[native.f32], y: native.ptr[native.f32]) -> None:
    lane = tile.arange(256)
    xs = tile.load(x, lane)
    tile.store(y, lane, xs + 1.0)
    tile.store(x, lane, tile.load(y, lane) * 2.0)


@tile.kernel
def carried(
    turns: int, x: native.const_ptr[native.f32], w: native.const_ptr[native.f64], y: native.ptr[native.f32]
) -> None:
    lane = tile.arange(1024)
    total = tile.load(x, lane)
    for k in range(turns):
        piece = tile.load(x, k * 1024 + lane)
        if tile.sum(piece) > 0:
            total = total + piece * tile.load(w, lane)
        else:
            total = total - piece
            tile.store(y, 1024 + lane, piece, lane % 3 == 0)
    tile.store(y, lane, total)


@tile.kernel
def wide(x: native.const_ptr[native.i32], y: native.ptr[native.i32]) -> None:
    lane = tile.arange(16384)
    tile.store(y, lane, tile.load(x, lane) * 3 - tile.load(x, 16383 - lane))
    most = tile.arange(2048)
    tile.store(y, 16384 + most, tile.load(x, most) - tile.load(x, most + 3))


@tile.kernel
def narrow(
    n: int,
    a: native.const_ptr[native.u8],
    b: native.const_ptr[native.i16],
    c: native.const_ptr[native.f16],
    d: native.ptr[native.f8e4m3],
    e: native.ptr[native.bf16],
) -> None:
    at = tile.arange(2048)
    mask = at < n
    xs = tile.load(a, at, mask, 9) + tile.load(b, at)
    tile.store(d, at, tile.load(c, at, mask) * 0.5 - xs, mask)
    tile.store(e, at, tile.load(c, at) + tile.sum(xs))


@tile.kernel
def bytes(n: int, a: native.const_ptr[native.u8], b: native.ptr[native.i8]) -> None:
    at = tile.program_id() * 1024 + tile.arange(1024)
    tile.store(b, at, tile.load(a, at, at < n, 7) - 128, at < n)


@tile.kernel
def once(n: int, x: native.const_ptr[native.i32], c: native.ptr[int], y: native.ptr[native.i32]) -> None:
    at = tile.program_id() * 512 + tile.arange(512)
    xs = tile.load(x, at)
    before = tile.atomic_add(c, at, 5) & 7
    same = at + (before - before)
    tile.store(y, at, xs + (same < n))
    tile.store(y, same + 1024, tile.load(x, same) + same)
"""
LONG: Final = """
from transpile import native, tile


@tile.kernel
def far(n: int, x: native.const_ptr[native.f16], y: native.ptr[native.f16]) -> None:
    lane = tile.arange(512)
    at = lane
"""
# Arrays at every distance from their alignment, besides the usual ones.
SHIFTED: Final = tuple(replace(TARGETS[1], name=f"cuda, {shift} off", order=5, shift=shift) for shift in (2, 3, 4))


@cache
def text() -> Text:
    return Text(SOURCE, "groups", {"rows": [(64,), (128,), (256,), (1024,), (4096,)]})


def numbers(size: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=size).astype(np.float32)


def check(step: Step, arrays: dict[str, np.ndarray], targets: Sequence[Target]) -> dict[str, np.ndarray]:
    return check_everywhere(text(), [step], arrays, (*targets, *SHIFTED) if targets is TARGETS else targets)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 255, 256, 301, 1024])
@pytest.mark.parametrize("step", [1, 5])
def test_masks(n: int, step: int, targets: Sequence[Target]) -> None:
    x = numbers(1024)
    x[::97] = np.nan
    whole = np.arange(1024, dtype=np.int32)
    arrays = {"x": x, "i": whole, "y": numbers(1024, 2), "j": np.zeros(1025, np.int32)}
    found = check(Step("masked", (4,), None, (n, step, "x", "i", "y", "j")), arrays, targets)
    assert found["y"][n:].tobytes() == arrays["y"][n:].tobytes()
    assert step == 5 or not (found["j"] - 22)[found["j"] != 0].any()


@pytest.mark.parametrize(
    ("size", "n"), [(64, 64), (64, 5), (128, 127), (256, 256), (1024, 1001), (1024, 1024), (4096, 2730)]
)
def test_rows(size: int, n: int, targets: Sequence[Target]) -> None:
    x = numbers(3 * n + 64, size)
    found = check(Step(f"rows__{size}", (3,), None, (size, n, "x", "out")), {"x": x, "out": numbers(8204)}, targets)
    for row in range(3):
        lanes = np.zeros(size, np.float32)
        lanes[:n] = x[row * n : row * n + n]
        while lanes.size > 1:
            lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
        assert found["out"][8192 + row * 4] == lanes[0]


def test_stores_are_seen_by_later_loads(targets: Sequence[Target]) -> None:
    check(Step("order", (1,), None, ("x", "out")), {"x": numbers(513), "out": numbers(2048)}, targets)


def test_pointers_to_one_array(targets: Sequence[Target]) -> None:
    check(Step("shifted", (1,), None, ("x", "x")), {"x": numbers(256)}, targets)


@pytest.mark.parametrize("turns", [0, 3])
def test_tiles_that_loops_carry(turns: int, targets: Sequence[Target]) -> None:
    arrays = {"x": numbers(4096), "w": numbers(1024).astype(np.float64), "y": numbers(2048)}
    check(Step("carried", (1,), None, (turns, "x", "w", "y")), arrays, targets)


def test_tiles_of_more_lanes_than_registers(targets: Sequence[Target]) -> None:
    x = np.random.default_rng(3).integers(-(2**31), 2**31, 16384).astype(np.int32)
    check(Step("wide", (1,), None, ("x", "y")), {"x": x, "y": np.zeros(18432, np.int32)}, targets)


@pytest.mark.parametrize("n", [2048, 1999])
def test_narrow_elements(n: int, targets: Sequence[Target]) -> None:
    random = np.random.default_rng(n)
    arrays = {
        "a": random.integers(0, 256, 2048).astype(np.uint8),
        "b": random.integers(-(2**15), 2**15, 2048).astype(np.int16),
        "c": random.normal(0, 100, 2048).astype(np.float16).view(np.uint16),
        "d": np.zeros(2048, np.uint8),
        "e": np.zeros(2048, np.uint16),
    }
    check(Step("narrow", (1,), None, (n, "a", "b", "c", "d", "e")), arrays, targets)


@pytest.mark.parametrize("n", [2048, 1030])
def test_bytes(n: int, targets: Sequence[Target]) -> None:
    a = np.arange(2048).astype(np.uint8)
    found = check(Step("bytes", (2,), None, (n, "a", "b")), {"a": a, "b": np.zeros(2048, np.int8)}, targets)
    assert (found["b"][:n] == (a[:n].astype(int) - 128)).all()


def test_an_atomic_behind_offsets_and_comparisons_is_made_once(targets: Sequence[Target]) -> None:
    arrays = {"x": np.arange(1024, dtype=np.int32), "c": np.arange(1024), "y": np.zeros(2048, np.int32)}
    found = check(Step("once", (2,), None, (700, "x", "c", "y")), arrays, targets)
    assert (found["c"] == np.arange(1024) + 5).all()


@pytest.mark.parametrize("last", ["tile.load(x, at)", "tile.load(x, lane, at < n)"])
def test_offsets_and_masks_may_be_long_sums(last: str) -> None:
    steps = "".join(f"    at = at + (n & {step % 7})\n" for step in range(600))
    assert "load<8>(" in Text(f"{LONG}{steps}    tile.store(y, lane, {last})\n").emitted("cuda")


def test_the_text_moves_several_lanes() -> None:
    emitted = text().emitted("cuda")
    for shape in ("4", "8, 4, 256", "lanes", "16", "32, 8, 64"):
        assert f"load<{shape}>(" in emitted, shape
    assert "reduce<64, add<float>, 4>(" in emitted
    assert "load<" not in text().emitted("cpu")


FOLDED_ALONE: Final = """
from transpile import native, tile


@tile.kernel
def shifted(x: native.const_ptr[native.f16], y: native.ptr[native.f16]) -> None:
    few = tile.arange(64)
    tile.store(y, few, tile.load(x, few) + tile.sum(tile.cast(tile.arange(512), native.f32) * 0.0037))
"""


def test_groups_that_are_folded_and_never_in_memory(targets: Sequence[Target]) -> None:
    """The text has what a fold of groups stands on, where no access moves several lanes."""
    x = np.random.default_rng(4).standard_normal(64).astype(np.float16).view(np.uint16)
    step = Step("shifted", (1,), None, ("x", "y"))
    found = check_everywhere(Text(FOLDED_ALONE, "shifted"), [step], {"x": x, "y": np.zeros_like(x)}, targets)
    wanted = x.view(np.float16).astype(float) + 0.0037 * 511 * 256
    np.testing.assert_allclose(found["y"].view(np.float16), wanted, rtol=1e-3)
