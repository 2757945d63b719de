"""Memory as the language has it, on every target: NaN payloads, order of stores and loads, aliasing, odd shapes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import pytest

from tests.support.everywhere import Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import cuda, native, tile


@tile.kernel
def copy(
    x: native.const_ptr[float], y: native.const_ptr[native.f32], out: native.ptr[float], small: native.ptr[native.f32]
) -> None:
    at = tile.program_id() * 64 + tile.arange(64)
    tile.store(out, at, tile.load(x, at))
    tile.store(small, at, tile.load(y, at))


@cuda.kernel
def thread_copy(
    x: native.const_ptr[float], y: native.const_ptr[native.f32], out: native.ptr[float], small: native.ptr[native.f32]
) -> None:
    i = cuda.global_id()
    native.store(native.offset(out, i), native.load(native.offset(x, i)))
    native.store(native.offset(small, i), native.load(native.offset(y, i)))


@tile.kernel
def stages(x: native.ptr[float], out: native.ptr[float]) -> None:
    pid = tile.program_id()
    lane = tile.arange(256)
    base = pid * 256
    for k in range(8):
        half = 128 >> k
        left = tile.load(x, base + lane)
        tile.store(x, base + (lane ^ half), left * 0.5 + k)
        if half == 4:
            tile.store(x, base + 3, tile.load(x, base + 200) + 1.0)
    tile.store(out, base + (255 - lane), tile.load(x, base + lane))


@tile.kernel
def narrow_and_wide(x: native.ptr[float], out: native.ptr[float]) -> None:
    wide = tile.arange(1024)
    small = tile.arange(16)
    tile.store(x, wide * 2 % 1024 + wide // 512, tile.load(x, wide) + 1.0)
    tile.store(x, small, tile.load(x, 1023 - small) * 2.0)
    first = tile.load(x, 0)
    tile.store(x, 0, first + tile.sum(tile.load(x, small)))
    tile.store(out, wide, tile.load(x, wide) + tile.load(x, 0))


@tile.kernel(alias=True)
def shifted(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    lane = tile.arange(512)
    tile.store(y, lane, tile.load(x, (lane + 1) % 512))
    tile.store(y, lane, tile.load(x, (lane + 7) % 512) + tile.load(y, lane))


@cuda.kernel(alias=True)
def thread_alias(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    slot = native.offset(y, i)
    before = native.load(native.offset(x, i))
    native.store(slot, before + 1.0)
    native.store(slot, native.load(native.offset(x, i)) * 2.0 + before)


@tile.kernel
def inner(x: native.const_ptr[float], out: native.ptr[float]) -> None:
    p = native.offset(native.offset(x, 5), -2)
    q = native.offset(out, 4)
    lane = tile.arange(4)
    for k in range(3):
        q = native.offset(q, k)
    tile.store(q, lane - 4, tile.load(p, lane * 2))
    tile.store(out, 0, tile.load(p, 0))


@cuda.kernel
def walk(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    p = native.offset(x, cuda.global_id() % 4)
    total = 0.0
    k = 0
    while k < n:
        total = total + native.load(p)
        p = native.offset(p, 3 if k % 2 == 0 else -1)
        k += 1
    native.store(native.offset(out, cuda.global_id()), total)


@tile.kernel
def one_element(flag: bool, x: native.ptr[float]) -> None:
    pid = tile.program_id()
    before = tile.load(x, pid)
    tile.store(x, pid, before * 3.0, flag)
    one = tile.arange(1)
    tile.store(x, pid + one, tile.load(x, pid + one) + tile.sum(tile.load(x, pid + one)))


@tile.kernel
def by_flags(x: native.const_ptr[native.i32], y: native.ptr[native.i32]) -> None:
    lane = tile.arange(64)
    small = lane - 20
    tile.store(y, lane, tile.load(x, tile.cast(small < 9, int)))
    tile.store(y, lane + 64, tile.load(x, lane // lane))
    tile.store(y, lane + 128, tile.load(x, tile.where(small > 5, 1, 0)) + tile.load(x, 1 - tile.cast(small < 9, int)))
    flag = tile.cast(tile.load(x, lane) > 3, native.i32)
    tile.store(y, lane + 192, tile.load(x, flag, lane < 50))
    tile.store(y, 256 + flag * 64 + lane, lane)
    tile.store(native.offset(y, 384), tile.cast(lane == 7, int), lane, lane == 7)


@cuda.kernel
def thread_by_flags(x: native.const_ptr[native.i32], y: native.ptr[native.i32]) -> None:
    i = cuda.global_id()
    k = 0
    if i % 3 == 1:
        k = 1
    native.store(native.offset(y, i), native.load(native.offset(x, k)) + native.load(native.offset(x, int(i < 9))))


@tile.kernel
def truths(x: native.const_ptr[bool], y: native.ptr[bool], out: native.ptr[int]) -> None:
    lane = tile.arange(64)
    one, other = tile.load(x, lane), tile.load(y, lane, lane < 60, True)
    tile.store(out, 0, tile.sum(one))
    tile.store(out, 1, tile.sum(one == other))
    tile.store(out, 2, tile.sum(one ^ other))
    tile.store(out, 3, tile.sum(tile.where(one, 5, 7)))
    tile.store(out, 4, tile.cast(tile.max(one), native.i64))
    tile.store(out, 5, tile.cast(tile.load(x, 2), native.i64))
    tile.store(y, lane, tile.load(y, lane) & one, lane >= 16)
    tile.store(y, lane, one, lane < 16)


@cuda.kernel
def thread_truths(x: native.const_ptr[bool], y: native.ptr[bool], out: native.ptr[int]) -> None:
    i = cuda.global_id()
    one, slot = native.load(native.offset(x, i)), native.offset(y, i)
    native.store(slot, native.load(slot) & one)
    native.store(native.offset(out, i), one + one * 3 if one != native.load(slot) else ~one + 8)
"""


@cache
def text() -> Text:
    return Text(SOURCE, "memory")


def normal(size: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(size)


@pytest.mark.parametrize(("name", "grid", "block"), [("copy", (2,), None), ("thread_copy", (4,), (32,))])
def test_a_copy_keeps_the_bits_of_a_nan(
    name: str, grid: tuple[int], block: tuple[int] | None, targets: Sequence[Target]
) -> None:
    wide = np.random.default_rng(3).integers(0, 1 << 63, 128, dtype=np.uint64) | np.uint64(0x7FF0000000000001)
    small = np.random.default_rng(4).integers(0, 1 << 31, 128, dtype=np.uint32) | np.uint32(0x7F800001)
    arrays = {
        "x": wide.view(np.float64),
        "y": small.view(np.float32),
        "out": np.zeros(128),
        "small": np.zeros(128, np.float32),
    }
    step = Step(name, grid, block, tuple(arrays))
    for result in (text().run_reference([step], arrays), *(text().run_target(one, [step], arrays) for one in targets)):
        assert (result["out"].view(np.uint64) == wide).all()
        assert (result["small"].view(np.uint32) == small).all()


def test_loads_see_the_stores_of_all_lanes(targets: Sequence[Target]) -> None:
    check_everywhere(
        text(), [Step("stages", (3,), None, ("x", "out"))], {"x": normal(768), "out": np.zeros(768)}, targets
    )


def test_stores_of_two_sizes_meet(targets: Sequence[Target]) -> None:
    arrays = {"x": normal(1026), "out": np.zeros(1024)}
    check_everywhere(text(), [Step("narrow_and_wide", (1,), None, ("x", "out"))], arrays, targets)


@pytest.mark.parametrize(("name", "block"), [("shifted", None), ("thread_alias", (64,))])
def test_aliased_pointers_are_read_and_written_as_written(
    name: str, block: tuple[int] | None, targets: Sequence[Target]
) -> None:
    step = Step(name, (1,) if block is None else (8,), block, ("x", "x"))
    check_everywhere(text(), [step], {"x": normal(512)}, targets)


def test_pointers_move(targets: Sequence[Target]) -> None:
    arrays = {"x": normal(64), "out": np.zeros(64)}
    check_everywhere(text(), [Step("inner", (1,), None, ("x", "out"))], arrays, targets)
    check_everywhere(text(), [Step("walk", (2,), (16,), (9, "x", "out"))], arrays, targets)


def test_bools_are_offsets(targets: Sequence[Target]) -> None:
    """g++ 12 vectorises such loads wrongly where it sees what they are."""
    arrays = {"x": np.arange(3, 67, dtype=np.int32), "y": np.zeros(400, np.int32)}
    check_everywhere(text(), [Step("by_flags", (1,), None, ("x", "y"))], arrays, targets)
    check_everywhere(text(), [Step("thread_by_flags", (4,), (64,), ("x", "y"))], arrays, targets)


@pytest.mark.parametrize(("name", "grid", "block"), [("truths", (1,), None), ("thread_truths", (2,), (32,))])
def test_any_byte_but_0_is_true(
    name: str, grid: tuple[int], block: tuple[int] | None, targets: Sequence[Target]
) -> None:
    held = np.random.default_rng(5).choice(np.array([0, 0, 1, 2, 128, 255], np.uint8), (2, 64))
    arrays = {"x": held[0].view(bool), "y": held[1].view(bool), "out": np.zeros(64, np.int64)}
    whole = {"x": held[0] != 0, "y": held[1] != 0, "out": arrays["out"]}
    step = Step(name, grid, block, tuple(arrays))
    wanted = text().run_reference([step], whole)
    for result in (text().run_reference([step], arrays), *(text().run_target(one, [step], arrays) for one in targets)):
        assert result["y"].tobytes() == wanted["y"].tobytes()
        assert result["out"].tolist() == wanted["out"].tolist()


@pytest.mark.parametrize("flag", [True, False])
def test_one_element_is_written_once(flag: bool, targets: Sequence[Target]) -> None:
    check_everywhere(text(), [Step("one_element", (5,), None, (flag, "x"))], {"x": normal(8)}, targets)
