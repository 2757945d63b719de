"""Every row of the table on every dtype and pair of edge values: the row's reference, and the same bits everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

from tests.run import matrix
from tests.support.bits import explain, same_bits
from tests.support.everywhere import Step, Target, Text, check_everywhere
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert
from transpile.ops.operation import Operation
from transpile.ops.reduce import halve
from transpile.ops.table import OPERATIONS, REDUCTIONS

LANES: Final = 2048
BLOCK: Final = 128
SIZES: Final = (1, 2, 16, 32, 64, 128, 512, 1024, 4096, 65536)


@pytest.mark.parametrize("dtype", dtypes.SUPPORTED, ids=str)
def test_every_operation_everywhere(dtype: DType, targets: Sequence[Target]) -> None:
    text = Text(matrix.matrix_text(dtype, LANES // 2), f"matrix_{dtype}")
    for dialect in ("tile", "native"):
        for row in matrix.rows_for(dtype, dialect):
            given = matrix.operands(dtype, row, LANES)
            arrays = {"abc"[place]: array for place, array in enumerate(given)}
            arrays["out"] = np.zeros(LANES, matrix.result_dtype(row, dtype).numpy)
            name = f"{'tile' if dialect == 'tile' else 'thread'}_{row.name}"
            grid, block = ((2,), None) if dialect == "tile" else ((LANES // BLOCK,), (BLOCK,))
            result = check_everywhere(text, [Step(name, grid, block, tuple(arrays))], arrays, targets)["out"]
            widened = [_computed(row, dtype, array) for array in given]
            with np.errstate(all="ignore"):
                expected = np.asarray(row.reference(*widened)).astype(arrays["out"].dtype)
            assert same_bits(expected, result), f"{name}: " + explain(
                "out", expected, result, "the row", "the reference"
            )


def _computed(row: Operation, dtype: DType, array: np.ndarray) -> np.ndarray:
    """The operand as the operation takes it."""
    if array.dtype == np.bool_:
        return array.astype(np.int64) if row.accepts == "number" else array
    return convert(array, dtype, dtypes.F64 if row.name == "truediv" and not dtype.is_float else dtype.computing)


def test_every_conversion_everywhere(targets: Sequence[Target]) -> None:
    lanes = 128
    text = Text(matrix.cast_text(lanes), "casts")
    for source in dtypes.SUPPORTED:
        for to in dtypes.SUPPORTED:
            arrays = {"a": np.resize(matrix.edge_values(source), lanes), "out": np.zeros(lanes, to.numpy)}
            step = Step(f"cast_{source.name}_{to.name}", (1,), None, ("a", "out"))
            result = check_everywhere(text, [step], arrays, targets)["out"]
            with np.errstate(all="ignore"):
                expected = convert(arrays["a"], source, to)
            assert same_bits(expected, result), explain(step.function, expected, result, "the row", "the reference")


@pytest.mark.parametrize("dtype", dtypes.SUPPORTED, ids=str)
def test_every_reduction_everywhere(dtype: DType, targets: Sequence[Target]) -> None:
    text = Text(matrix.reduction_text(dtype, SIZES), f"folds_{dtype}")
    for name in matrix.reductions_for(dtype):
        for size in SIZES:
            programs = 1 if size > 4096 else 4
            arrays = {
                "a": _values(dtype, programs * size, nan=size % 3 == 1),
                "out": np.zeros(programs, matrix.reduction_result(name, dtype).numpy),
            }
            step = Step(f"fold_{name}_{size}", (programs,), None, ("a", "out"))
            result = check_everywhere(text, [step], arrays, targets)["out"]
            rows = arrays["a"].astype(arrays["out"].dtype).reshape(programs, size)
            with np.errstate(all="ignore"):
                expected = halve(rows, 1, OPERATIONS[REDUCTIONS[name].combine]).ravel()
            assert same_bits(expected, result), explain(step.function, expected, result, "the row", "the reference")


def _values(dtype: DType, count: int, *, nan: bool) -> np.ndarray:
    source = np.random.default_rng(count)
    if not dtype.is_float:
        return (
            source.integers(0, 2, count).astype(bool)
            if dtype.kind == "bool"
            else source.choice(matrix.edge_values(dtype), count)
        )
    values = (source.standard_normal(count) * 10.0 ** source.integers(-8, 8, count)).astype(dtype.numpy)
    if nan:
        values[:: max(1, count // 3)] = np.nan
    values[1::7] = -0.0
    return values
