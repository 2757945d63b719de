"""Every row of the table on every dtype and pair of edge values: the row's reference, and the same bits everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

from tests.run import matrix
from tests.support.bits import array_of, explain, same_bits
from tests.support.everywhere import Step, Target, Text, check_everywhere
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert
from transpile.ops.operation import Operation
from transpile.ops.reduce import halve
from transpile.ops.table import OPERATIONS, REDUCTIONS, accumulator

LANES: Final = 2048
BLOCK: Final = 128
SIZES: Final = (1, 2, 16, 32, 64, 128, 512, 1024, 4096, 65536)
FEW_SIZES: Final = (64, 4096)  # of the types that are folded as another one
FEW_FOLDS: Final = ("sum", "max")


@pytest.mark.parametrize("dtype", matrix.COMPUTING, ids=str)
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
    return array.astype(np.float64) if row.name == "truediv" and not dtype.is_float else array


def test_storage_types_compute_in_others(targets: Sequence[Target]) -> None:
    text = Text(matrix.storage_text(LANES // 2), "storage")
    for dtype in matrix.STORAGE:
        wide, outs = dtype.computing, matrix.storage_results(dtype)
        values = matrix.edge_values(dtype)
        a, b = (np.resize(part, LANES) for part in np.meshgrid(values, values, indexing="ij"))
        arrays = {"a": array_of(a, dtype), "b": array_of(b, dtype)}
        arrays |= {name: array_of(np.zeros(LANES, to.held), to) for name, to in outs.items()}
        x, y = convert(a, dtype, wide), convert(b, dtype, wide)
        row = {name: OPERATIONS[name].reference for name in ("add", "lt", "neg", "where", "maximum", "mul")}
        with np.errstate(all="ignore"):
            scaled = convert(x, wide, outs["scaled"])
            expected = {
                "same": (a, dtype),
                "total": (row["add"](x, y), wide),
                "less": (row["lt"](x, y), dtypes.BOOL),
                "turned": (row["neg"](x), wide),
                "other": (convert(row["where"](row["lt"](x, y), x, y), wide, dtype), dtype),
                "most": (convert(row["maximum"](x, y), wide, dtype), dtype),
                "scaled": (row["mul"](scaled, scaled.dtype.type(0.1)), outs["scaled"]),
            }
        for name, grid, block in (("tile", (2,), None), ("thread", (LANES // BLOCK,), (BLOCK,))):
            step = Step(f"{name}_{dtype}", grid, block, tuple(arrays))
            result = check_everywhere(text, [step], arrays, targets)
            assert result["same"].tobytes() == arrays["a"].tobytes(), "a load that is stored keeps every bit"
            for out, (held, to) in expected.items():
                wanted = array_of(held, to)
                assert same_bits(wanted, result[out]), explain(out, wanted, result[out], "the rows", "the reference")


@pytest.mark.parametrize("dtype", matrix.COMPUTING, ids=str)
def test_every_reduction_everywhere(dtype: DType, targets: Sequence[Target]) -> None:
    sizes = FEW_SIZES if dtype.kind == "uint" else SIZES
    text = Text(matrix.reduction_text([dtype], matrix.reductions_for(dtype), sizes), f"folds_{dtype}")
    _check_folds(text, dtype, matrix.reductions_for(dtype), sizes, targets)


def test_folds_of_storage_types(targets: Sequence[Target]) -> None:
    text = Text(matrix.reduction_text(matrix.STORAGE, FEW_FOLDS, FEW_SIZES), "folds")
    for dtype in matrix.STORAGE:
        _check_folds(text, dtype, FEW_FOLDS, FEW_SIZES, targets)


def _check_folds(
    text: Text, dtype: DType, names: Sequence[str], sizes: Sequence[int], targets: Sequence[Target]
) -> None:
    for name in names:
        wide, to = accumulator(REDUCTIONS[name], dtype), matrix.reduction_result(name, dtype)
        for size in sizes:
            programs = 1 if size > 4096 else 4
            given = _values(dtype, programs * size, nan=size % 3 == 1)
            arrays = {"a": array_of(given, dtype), "out": array_of(np.zeros(programs, to.held), to)}
            step = Step(f"fold_{dtype}_{name}_{size}", (programs,), None, ("a", "out"))
            result = check_everywhere(text, [step], arrays, targets)["out"]
            rows = convert(given, dtype, wide).reshape(programs, size)
            with np.errstate(all="ignore"):
                found = halve(rows, 1, OPERATIONS[REDUCTIONS[name].combine]).ravel()
                expected = array_of(convert(found, wide, to), to)
            assert same_bits(expected, result), explain(step.function, expected, result, "the row", "the reference")


def _values(dtype: DType, count: int, *, nan: bool) -> np.ndarray:
    source = np.random.default_rng(count)
    if not dtype.is_float:
        return (
            source.integers(0, 2, count).astype(bool)
            if dtype.kind == "bool"
            else source.choice(matrix.edge_values(dtype), count)
        )
    spread = min(8, dtype.bias // 4)
    values = source.standard_normal(count) * 10.0 ** source.integers(-spread, spread, count)
    if nan:
        values[:: max(1, count // 3)] = np.nan
    values[1::7] = -0.0
    return convert(values, dtypes.F64, dtype)
