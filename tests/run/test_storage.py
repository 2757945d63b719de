"""Values of every storage type on every way that a value can take: parameters, results, variables that loops carry,
masks, selections, shared and local arrays, shuffles, device functions, launchers."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Final

import ml_dtypes
import numpy as np
import pytest

from tests.run.matrix import edge_values
from tests.support.bits import array_of, explain, same_bits
from tests.support.everywhere import TARGETS, Step, Target, Text, check_everywhere
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert, hold

KINDS: Final = (dtypes.I8, dtypes.U16, dtypes.U64, dtypes.F16, dtypes.BF16, dtypes.F8E4M3, dtypes.F8E5M2)
THREADS: Final = 64
WAYS: Final = """
@cuda.device
def larger_NAME(a: native.NAME, b: native.NAME) -> native.NAME:
    if a > b:
        return a
    return b


@tile.kernel
def tile_NAME(
    n: int,
    one: native.NAME,
    x: native.const_ptr[native.NAME],
    out: native.ptr[native.NAME],
    top: native.ptr[native.NAME],
) -> None:
    at = tile.program_id() * 32 + tile.arange(32)
    kept = tile.load(x, at, at < n, other=one)
    turned = kept
    for k in range(3):
        if k % 2 == 0:
            turned = tile.load(x, (at + k) % n)
        kept = tile.cast(tile.where(at % 3 == k, turned, kept), native.NAME)
    tile.store(out, at, larger_NAME(kept, one), at < n)
    tile.store(top, tile.program_id(), tile.max(kept))


@cuda.kernel
def thread_NAME(
    n: int,
    one: native.NAME,
    x: native.const_ptr[native.NAME],
    out: native.ptr[native.NAME],
    top: native.ptr[native.NAME],
) -> None:
    parked = cuda.shared[native.NAME, 64]()
    mine = native.stack_alloc[native.NAME](3)
    t = cuda.thread_id()
    i = cuda.global_id()
    v: native.NAME = native.load(native.offset(x, i % n))
    native.store(native.offset(parked, t), v)
    native.store(native.offset(mine, t % 2), one)
    cuda.syncthreads()
    other = native.load(native.offset(parked, 63 - t))
    across = cuda.shfl_xor(other, 3)
    below = cuda.shfl_up(v, 1) if n > 0 else one
    native.store(native.offset(mine, 2), larger_NAME(across, below))
    if i < n:
        native.store(native.offset(out, i), native.load(native.offset(mine, 2 if i % 5 else i % 3)))
    if t == 0:
        native.store(native.offset(top, cuda.block_id()), v if i > 64 else one)


def run_NAME(
    n: int,
    one: native.NAME,
    x: native.const_ptr[native.NAME],
    out: native.ptr[native.NAME],
    top: native.ptr[native.NAME],
) -> None:
    where = native.offset(x, 1)
    tile.launch(tile_NAME, (n + 31) // 32, n - 1, one, where, native.offset(out, 1), top)
    if one > 0:
        cuda.launch(thread_NAME, 2, 64, n, one, x, out, native.offset(top, 3))
"""


@pytest.fixture(scope="module")
def text() -> Text:
    parts = (WAYS.replace("native.NAME", f"native.{dtype}").replace("NAME", dtype.name) for dtype in KINDS)
    return Text("from transpile import cuda, native, tile\n\n" + "\n".join(parts), "ways")


def arrays_for(dtype: DType, n: int) -> dict[str, np.ndarray]:
    return {
        "x": array_of(np.resize(edge_values(dtype), n), dtype),
        "out": array_of(np.zeros(n, dtype.held), dtype),
        "top": array_of(np.zeros(8, dtype.held), dtype),
    }


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_every_way_of_a_value(dtype: DType, text: Text, targets: Sequence[Target]) -> None:
    n = 100
    for function, grid, block in (("tile", (4,), None), ("thread", (2,), (THREADS,))):
        step = Step(f"{function}_{dtype}", grid, block, (n, 3, "x", "out", "top"))
        check_everywhere(text, [step], arrays_for(dtype, n), targets)


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_launchers_pass_values_on(dtype: DType, text: Text) -> None:
    n = 100
    before = arrays_for(dtype, n)
    steps = [
        Step(f"tile_{dtype}", (4,), None, (n - 1, 3, "x_1", "out_1", "top")),
        Step(f"thread_{dtype}", (2,), (THREADS,), (n, 3, "x", "out", "top_3")),
    ]
    parts = {"x": before["x"], "out": before["out"].copy(), "top": before["top"].copy()}
    views = {**parts, "x_1": parts["x"][1:], "out_1": parts["out"][1:], "top_3": parts["top"][3:]}
    for step in steps:
        named = {name: views[name] for name in step.arguments if isinstance(name, str)}
        for name, array in text.run_reference([step], named).items():
            views[name][:] = array
    for target in TARGETS[:3]:
        got = text.run_target(target, [Step(f"run_{dtype}", None, None, (n, 3, "x", "out", "top"))], before)
        for name, array in parts.items():
            assert same_bits(array, got[name]), explain(name, array, got[name], "the reference", target.name)


def test_bits_of_scalars_in_the_abi(text: Text) -> None:
    """A number of a narrow float is passed as its bits."""
    library = text.library(TARGETS[0])
    for dtype in (each for each in KINDS if each.is_narrow_float):
        arrays = arrays_for(dtype, 32)
        bits = int(hold(-1.5, dtype)[0])
        word = ctypes.c_uint16 if dtype.bits == 16 else ctypes.c_uint8
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays.values()]
        ones = [ctypes.c_int64(1)] * 3
        call = getattr(library, f"ways_tile_{dtype}")
        assert call(*ones, ctypes.c_int64(1), word(bits), *pointers, None) == 0
        with np.errstate(all="ignore"):
            assert arrays["out"][0] == convert(np.array([0.0]), dtypes.F64, dtype)[0]
        assert arrays["out"].dtype == np.dtype(getattr(ml_dtypes, dtype.numpy, dtype.numpy))
