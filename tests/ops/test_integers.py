"""The integer, bit and bool rows against Python's own integers, wrapped to the width."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.exact import wrapped
from transpile.ops.table import OPERATIONS

WIDTHS: Final = {32: np.int32, 64: np.int64}


def floordiv(x: int, y: int) -> int:
    return x // y if y else 0


def mod(x: int, y: int) -> int:
    return x % y if y else 0


def shl(x: int, count: int, bits: int) -> int:
    return x << count if 0 <= count < bits else 0


def shr(x: int, count: int, bits: int) -> int:
    return x >> count if 0 <= count < bits else (-1 if x < 0 else 0)


BINARY: Final[dict[str, Callable[[int, int, int], int]]] = {
    "add": lambda x, y, bits: x + y,
    "sub": lambda x, y, bits: x - y,
    "mul": lambda x, y, bits: x * y,
    "floordiv": lambda x, y, bits: floordiv(x, y),
    "mod": lambda x, y, bits: mod(x, y),
    "and": lambda x, y, bits: x & y,
    "or": lambda x, y, bits: x | y,
    "xor": lambda x, y, bits: x ^ y,
    "shl": shl,
    "shr": shr,
    "maximum": lambda x, y, bits: max(x, y),
    "minimum": lambda x, y, bits: min(x, y),
    "fmax": lambda x, y, bits: max(x, y),
    "fmin": lambda x, y, bits: min(x, y),
}
UNARY: Final[dict[str, Callable[[int], int]]] = {
    "neg": lambda x: -x,
    "pos": lambda x: x,
    "abs": abs,
    "invert": lambda x: ~x,
    "floor": lambda x: x,
    "ceil": lambda x: x,
    "round": lambda x: x,
    "trunc": lambda x: x,
}


def edges(bits: int) -> list[int]:
    top = 1 << (bits - 1)
    return [
        -top,
        -top + 1,
        -top // 2,
        -1000003,
        -7,
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
        7,
        bits - 1,
        bits,
        bits + 1,
        1000003,
        top // 2,
        top - 1,
    ]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_pairs_of_edges(name: str, bits: int) -> None:
    pairs = list(itertools.product(edges(bits), repeat=2))
    x, y = (np.array(column, WIDTHS[bits]) for column in zip(*pairs, strict=True))
    found = OPERATIONS[name].reference(x, y)
    assert found.dtype == WIDTHS[bits]
    assert found.tolist() == [wrapped(BINARY[name](a, b, bits), bits) for a, b in pairs]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_any_pairs(name: str, bits: int) -> None:
    whole = st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) | st.integers(-70, 70)

    @given(st.lists(st.tuples(whole, whole), min_size=1, max_size=30))
    def run(pairs: list[tuple[int, int]]) -> None:
        x, y = (np.array(column, WIDTHS[bits]) for column in zip(*pairs, strict=True))
        expected = [wrapped(BINARY[name](a, b, bits), bits) for a, b in pairs]
        assert OPERATIONS[name].reference(x, y).tolist() == expected

    run()


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", UNARY)
def test_single_edges(name: str, bits: int) -> None:
    x = np.array(edges(bits), WIDTHS[bits])
    found = OPERATIONS[name].reference(x)
    assert found.dtype == WIDTHS[bits]
    assert found.tolist() == [wrapped(UNARY[name](one), bits) for one in edges(bits)]


def test_bools_are_logical() -> None:
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    for name, judge in {
        "and": lambda a, b: a and b,
        "or": lambda a, b: a or b,
        "xor": lambda a, b: a != b,
        "maximum": lambda a, b: a or b,
        "minimum": lambda a, b: a and b,
    }.items():
        found = OPERATIONS[name].reference(x, y)
        assert found.dtype == bool
        assert found.tolist() == [judge(a, b) for a, b in pairs]
    for name in ("invert", "not"):
        assert OPERATIONS[name].reference(x).tolist() == [not one for one in x.tolist()]


def test_where_takes_whole_values() -> None:
    condition = np.array([True, False, True])
    found = OPERATIONS["where"].reference(condition, np.array([1, 2, 3]), np.array([-1, -2, -3]))
    assert found.tolist() == [1, -2, 3]
