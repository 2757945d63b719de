"""A layout is a linear map over bits: properties of the map, and of what assignment makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpile.lowering.layout import Layout, grouped

SHAPES = st.lists(st.integers(0, 6), min_size=1, max_size=2).map(lambda bits: tuple(1 << bit for bit in bits))
THREADS = st.sampled_from([1, 32, 64, 128, 256])


def strided(shape: tuple[int, ...], threads: int) -> Layout:
    return grouped(shape, threads, 1)


def row_major(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    number = 0
    for place, size in zip(index, shape, strict=True):
        number = number * size + place
    return number


@given(SHAPES, THREADS)
def test_strided_holds_lane_k_threads_plus_thread(shape: tuple[int, ...], threads: int) -> None:
    layout = strided(shape, threads)
    assert layout.is_onto
    assert layout.threads == threads
    assert layout.registers == max(1, layout.lanes // threads)
    for k in range(layout.registers):
        for thread in range(threads):
            assert row_major(layout.element(k, thread), shape) == (k * threads + thread) % layout.lanes


@given(SHAPES.filter(lambda shape: len(shape) == 2), THREADS, st.integers(0, 1))
def test_a_slice_forgets_one_axis_and_broadcasting_brings_it_back(
    shape: tuple[int, ...], threads: int, axis: int
) -> None:
    layout = strided(shape, threads)
    sliced = layout.slice(axis)
    assert sliced.shape[axis] == 1
    assert sliced.is_onto
    for thread in range(threads):
        held = {layout.element(k, thread)[1 - axis] for k in range(layout.registers)}
        assert held == {sliced.element(k, thread)[1 - axis] for k in range(sliced.registers)}
    again = sliced.broadcast(shape)
    assert again.shape == shape
    assert again.is_onto


def test_a_bit_may_turn_on_several_elements() -> None:
    swizzle = Layout(shape=(8, 8), register=((0, 1),), lane=((1, 1), (2, 2), (4, 4), (0, 2), (0, 4)))
    assert swizzle.is_onto
    assert len({swizzle.element(k, thread) for k in range(2) for thread in range(32)}) == 64
    assert swizzle.element(0, 0b11) == (3, 3)


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (strided((1024,), 256), "r:256,512 t:1..16 w:32..128"),
        (strided((16,), 64), "t:1..8,- w:-"),
        (strided((256,), 1), "r:1..128"),
        (grouped((1024,), 64, 4), "r:1,2,256,512 t:4..64 w:128"),
        (grouped((128,), 32, 4), "r:1,2 t:4..64"),
        (strided((1,), 64), "t:-*5 w:-"),
        (strided((1,), 1), "r:-"),
        (strided((8, 128), 256), "r:(2 0),(4 0) t:(0 1)..(0 16) w:(0 32),(0 64),(1 0)"),
    ],
)
def test_prints_in_one_short_line(layout: Layout, text: str) -> None:
    assert str(layout) == text


def test_equal_layouts_are_equal() -> None:
    assert strided((64,), 64) == strided((64,), 64)
    assert strided((64,), 64) != strided((64,), 32)
