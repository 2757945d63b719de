"""Folds and scans of the types that are for storage, and of the unsigned ones: computed in their wider type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pytest

from tests.run.matrix import COMPUTING, STORAGE, pointer_type
from tests.support.bits import array_of, explain, same_bits
from tests.support.everywhere import Step, Target, Text, check_everywhere
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert
from transpile.ops.reduce import halve
from transpile.ops.scan import running
from transpile.ops.table import OPERATIONS, REDUCTIONS, accumulator

LANES: Final = 256
TYPES: Final = (*STORAGE, *(dtype for dtype in COMPUTING if dtype.kind == "uint"))


def wide(dtype: DType) -> DType:
    return accumulator(REDUCTIONS["sum"], dtype)


def mean_type(dtype: DType) -> DType:
    return wide(dtype) if dtype.is_float else dtypes.F64


def kernel(dtype: DType) -> str:
    sums, means, same = (pointer_type(each, const=False) for each in (wide(dtype), mean_type(dtype), dtype))
    return f"""

@tile.kernel
def of_{dtype}(
    x: {pointer_type(dtype, const=True)}, s: {sums}, m: {means}, most: {same}, at: native.ptr[int]
) -> None:
    lane = tile.arange({LANES})
    v = tile.load(x, lane)
    tile.store(s, lane, tile.cumsum(v))
    tile.store(s, {LANES}, tile.prod(v))
    tile.store(m, 0, tile.mean(v))
    tile.store(m, 1, tile.var(v))
    tile.store(most, lane, tile.cummax(v))
    tile.store(at, 0, tile.argmax(v))
    tile.store(at, 1, tile.argmin(v))
"""


TEXT: Final = Text("from transpile import native, tile\n" + "".join(map(kernel, TYPES)), "storage_folds")


def values(dtype: DType, nan: bool) -> Any:
    """Any bits; of floats without NaN but for two lanes, if there are to be any."""
    source = np.random.default_rng(dtype.bits)
    if not dtype.is_float:
        return source.integers(dtype.min, dtype.max, LANES, dtype=np.dtype(dtype.numpy), endpoint=True)
    held = convert(source.standard_normal(LANES).astype(np.float32) * np.float32(3), dtypes.F32, dtype)
    if nan:
        held[[100, 200]] = convert(np.full(2, np.nan, np.float32), dtypes.F32, dtype)
    return held


@pytest.mark.parametrize("nan", [False, True], ids=["numbers", "nan"])
def test_of_every_storage_type(nan: bool, targets: Sequence[Target]) -> None:
    for dtype in TYPES if not nan else (dtype for dtype in TYPES if dtype.is_float):
        x = values(dtype, nan)
        arrays = {
            "x": array_of(x, dtype),
            "s": np.zeros(LANES + 1, wide(dtype).numpy),
            "m": np.zeros(2, mean_type(dtype).numpy),
            "most": array_of(np.zeros(LANES, x.dtype), dtype),
            "at": np.zeros(2, int),
        }
        found = check_everywhere(TEXT, [Step(f"of_{dtype}", (1,), None, tuple(arrays))], arrays, targets)
        for name, wanted in expected(dtype, x).items():
            said = array_of(wanted, dtype) if name == "most" else wanted
            assert same_bits(said, found[name]), f"{dtype}: " + explain(
                name, said, found[name], "the rows", "the reference"
            )


def expected(dtype: DType, x: Any) -> dict[str, Any]:
    with np.errstate(all="ignore"):
        lanes, floats = (convert(x, dtype, to) for to in (wide(dtype), mean_type(dtype)))
        sums = running(lanes, 0, OPERATIONS["add"])
        product = halve(lanes, 0, OPERATIONS["mul"])
        mean = halve(floats, 0, OPERATIONS["add"]) / floats.dtype.type(LANES)
        spread = halve((floats - mean) * (floats - mean), 0, OPERATIONS["add"]) / floats.dtype.type(LANES)
        most = convert(running(lanes, 0, OPERATIONS["maximum"]), wide(dtype), dtype)
    nan = np.flatnonzero(np.isnan(floats))
    first = [nan[0], nan[0]] if len(nan) else [lanes.argmax(), lanes.argmin()]
    return {
        "s": np.concatenate([sums, product]),
        "m": np.concatenate([mean, spread]),
        "most": most,
        "at": np.array(first),
    }


ENDS: Final = Text("""
from transpile import native, tile


@tile.kernel
def ends(x: native.const_ptr[native.f8e5m2], y: native.ptr[native.f8e5m2], wide: native.ptr[native.f32]) -> None:
    lane = tile.arange(32)
    v = tile.load(x, lane)
    tile.store(y, lane, tile.cummax(v))
    tile.store(y, 32, tile.max(v))
    tile.store(y, 33, tile.nanmin(v))
    tile.store(wide, 0, tile.max(v))
    tile.store(wide, 1, tile.min(v))
    tile.store(wide, 2, tile.cast(tile.cast(tile.max(v), native.f32), native.f8e5m2))
""")


def test_a_lane_that_is_chosen_stays_infinite(targets: Sequence[Target]) -> None:
    """Though a conversion to f8e5m2 stops at the largest number."""
    x = np.arange(32, dtype=np.uint8)
    x[[7, 20, 25]] = 0xFC, 0x7B, 0x7C
    arrays = {"x": x, "y": np.zeros(34, np.uint8), "wide": np.zeros(3, np.float32)}
    found = check_everywhere(ENDS, [Step("ends", (1,), None, tuple(arrays))], arrays, targets)
    assert found["y"][[24, 25, 32, 33]].tolist() == [0x7B, 0x7C, 0x7C, 0xFC]
    assert found["wide"].tolist() == [np.inf, -np.inf, 57344]
