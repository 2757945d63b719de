"""The table itself: rows agree with each other, with `transpile.lang`, and with the order of a fold."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Final

import numpy as np
import pytest

from transpile import dtypes
from transpile.ops.reduce import halve
from transpile.ops.scan import running
from transpile.ops.table import COMPOSITES, OPERATIONS, REDUCTIONS, SCANS, accumulator

ROWS: Final = (*OPERATIONS.values(), *REDUCTIONS.values(), *SCANS.values(), *COMPOSITES.values())


def test_rows_are_called_by_their_names() -> None:
    assert all(name == row.name for name, row in OPERATIONS.items())
    assert all(name == row.name and row.combine in OPERATIONS for name, row in REDUCTIONS.items())
    assert all(name == row.name and row.combine in OPERATIONS for name, row in SCANS.items())
    assert all(row.doc.endswith(".") for row in ROWS)


def test_every_spelling_can_be_imported() -> None:
    for row in ROWS:
        for spelling in row.spellings:
            dialect, name = spelling.split(".")
            if dialect in ("tile", "native", "cuda"):
                assert hasattr(importlib.import_module(f"transpile.lang.{dialect}"), name), spelling


def test_the_table_does_not_import_numpy() -> None:
    code = "import sys; import transpile.ops.table; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


ACCUMULATORS: Final = [
    ("sum", "bool", "i64"),
    ("sum", "i32", "i64"),
    ("sum", "f16", "f32"),
    ("sum", "f32", "f32"),
    ("max", "i32", "i32"),
    ("nanmin", "f32", "f32"),
    ("any", "i64", "bool"),
]


@pytest.mark.parametrize(("name", "source", "expected"), ACCUMULATORS)
def test_accumulators(name: str, source: str, expected: str) -> None:
    assert accumulator(REDUCTIONS[name], dtypes.BY_NAME[source]).name == expected


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_folds_go_by_halves(axis: int) -> None:
    values = np.random.default_rng(2).normal(size=(4, 8, 32))
    folded = halve(values, axis, OPERATIONS["add"])
    slices = np.moveaxis(values, axis, 0)
    while len(slices) > 1:
        half = len(slices) // 2
        slices = np.array([slices[place] + slices[place + half] for place in range(half)])
    np.testing.assert_array_equal(np.moveaxis(folded, axis, 0), slices)


def test_a_fold_of_any_order_is_one() -> None:
    """Where a row says that the order does not matter, a shuffled fold has the same bits."""
    random = np.random.default_rng(4)
    samples = {
        "bool": random.random(256) < 0.5,
        "int": random.integers(-(2**63), 2**63 - 1, 256),
        "float": np.concatenate([random.normal(size=250), [0.0, -0.0, np.inf, -np.inf, 1.0, -1.0]]),
    }
    for row in REDUCTIONS.values():
        for kind in row.any_order_on:
            if kind == "uint":
                continue
            values = samples[kind].astype(np.int64) if row.accumulate == "wide" else samples[kind]
            first = halve(values, 0, OPERATIONS[row.combine])
            again = halve(random.permutation(values), 0, OPERATIONS[row.combine])
            assert first.tobytes() == again.tobytes(), row.name


@pytest.mark.parametrize("size", [1, 2, 32, 64, 1024, 4096, 65536])
def test_scans_go_by_blocks(size: int) -> None:
    values = np.random.default_rng(5).normal(size=size)
    scanned = running(np.stack([values, -values]), 1, OPERATIONS["add"])
    np.testing.assert_array_equal(scanned[0], -scanned[1])
    np.testing.assert_allclose(scanned[0], np.cumsum(values), rtol=0, atol=1e-9)
    if size >= 4:
        assert scanned[0, 3] == (values[0] + values[1]) + (values[2] + values[3])
        assert scanned[0, 2] == values[0] + (values[1] + values[2])
    if size >= 64:
        assert scanned[0, 33] == scanned[0, 31] + (values[32] + values[33])


def test_a_scan_does_not_look_ahead() -> None:
    """The lanes of a larger tile begin with those of a smaller one."""
    values = np.random.default_rng(6).normal(size=4096).astype(np.float32)
    whole = running(values, 0, OPERATIONS["add"])
    for size in (1, 2, 16, 32, 128, 2048):
        assert running(values[:size], 0, OPERATIONS["add"]).tobytes() == whole[:size].tobytes()
