"""What a kernel captures: compared at every launch, and told to other processes."""

from __future__ import annotations

import enum
import math
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.program import python
from transpile import cuda, native, tile
from transpile.lang.kernel import Kernel

FACTOR: Any = 2.0
TABLE: Any = (1, 2.0)
WIDE: Any = native.f32
OTHERS = types.ModuleType("others")
OTHERS.OFFSET = 1  # type: ignore[attr-defined]


@cuda.device
def scaled(v: float) -> float:
    return v * FACTOR


@tile.kernel
def moved(x: native.ptr[WIDE], y: native.const_ptr[float]) -> None:
    tile.store(x, 0, scaled(tile.load(y, 0)) + math.pi + len(TABLE) + OTHERS.OFFSET)


class Small(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    ("name", "value", "is_same"),
    [
        ("FACTOR", 2.0, True),
        ("FACTOR", np.float64(2.0), True),
        ("FACTOR", 2, False),
        ("FACTOR", 3.0, False),
        ("FACTOR", True, False),
        ("TABLE", (1, 2.0), True),
        ("TABLE", (1, 2), False),
        ("WIDE", native.f64, False),
        ("math", OTHERS, False),
        ("scaled", lambda v: v, False),
    ],
)
def test_what_a_fingerprint_tells_apart(
    name: str, value: object, is_same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = moved.fingerprint()
    assert before == moved.fingerprint()
    monkeypatch.setitem(globals(), name, value)
    assert (moved.fingerprint() == before) == is_same
    monkeypatch.undo()
    assert moved.fingerprint() == before


def test_numbers_by_their_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(value: object) -> tuple[str, object]:
        monkeypatch.setitem(globals(), "FACTOR", value)
        return moved.fingerprint(), moved.captured()

    for one, other in ((0.0, -0.0), (1, 1.0), (1, True), (math.nan, 0.0)):
        assert told(one)[0] != told(other)[0]
        assert told(one)[1] != told(other)[1]
    assert told(Small.ONE)[0] == told(1)[0]
    assert told(math.nan)[0] == told(-math.nan)[0]


def test_a_snapshot_holds_while_names_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    first = moved.captured()
    assert moved.captured() is first
    monkeypatch.setattr(OTHERS, "OFFSET", 5)
    assert moved.captured() != first
    monkeypatch.setattr(OTHERS, "OFFSET", 1)
    assert moved.captured() == first
    monkeypatch.setitem(globals(), "FACTOR", 7.0)  # of the function that it calls
    assert moved.captured() != first
    monkeypatch.delitem(globals(), "TABLE")
    missing = moved.captured()
    monkeypatch.setitem(globals(), "TABLE", (1, 2.0))
    assert moved.captured() != missing


def test_closures_differ_by_their_cells() -> None:
    def adding(amount: float) -> tuple[Kernel, Callable[[float], None]]:
        @tile.kernel
        def add(x: native.ptr[float]) -> None:
            tile.store(x, 0, tile.load(x, 0) + amount)

        def change(value: float) -> None:
            nonlocal amount
            amount = value

        return add, change

    (one, change), (two, _) = adding(1.5), adding(2.5)
    assert one.fingerprint() != two.fingerprint()
    before = one.captured()
    change(2.5)
    assert one.captured() != before
    assert one.fingerprint() == two.fingerprint()


def test_another_process_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(
        "from transpile import native, tile\n"
        "from math import floor\n"
        "NAMES = {'a', 'b', 'c', 'd'}\n"
        "class Thing: pass\n"
        "thing = Thing()\n"
        "@tile.kernel\n"
        "def k(x: native.ptr[float]) -> None:\n"
        "    '''A set, an object without a name, a function: all are told by what a kernel can make of them.'''\n"
        "    tile.store(x, 0, floor(thing.value) in NAMES)\n"
        "if __name__ == '__main__':\n"
        "    print(k.fingerprint())\n"
    )
    told = {python("words.py", folder=tmp_path, PYTHONHASHSEED=seed).out for seed in ("1", "2")}
    assert len(told) == 1
    assert "words.py" in told.pop()
