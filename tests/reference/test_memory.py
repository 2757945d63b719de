"""Loads and stores: masks, offsets, bounds, element types, arrays of blocks and threads."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tests.reference.build import kernel, run
from transpile import dtypes
from transpile.diagnostics.launch import KernelFault
from transpile.dtypes import DType
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.source import SourceFile, Span
from transpile.typing.types import Pointer, Scalar

SPAN = Span(SourceFile("k.py", "\n\n    xs = tile.load(x, lane)\n"), 3, 10, 3, 28)
TILE = 8


def pointer(b: Builder, name: str, dtype: DType = dtypes.F64, const: bool = False) -> Value:
    return b.fresh(Pointer(dtype, const), name)


def copying(start: int = 0, masked: int | None = None, other: float = 0.0) -> tir.Function:
    """`out[lane] = load(x, program * 8 + lane + start, lane < masked, other)`."""
    b = Builder()
    x, out = pointer(b, "x", const=True), pointer(b, "out")
    lane = b.arange(TILE)
    first = b.apply("mul", b.index("program_id"), b.const(TILE, dtypes.I64))
    at = b.apply("add", lane, b.broadcast(first, (TILE,)))
    from_ = b.apply("add", at, b.broadcast(b.const(start, dtypes.I64), (TILE,)))
    mask = filler = None
    if masked is not None:
        mask = b.apply("lt", lane, b.broadcast(b.const(masked, dtypes.I64), (TILE,)))
        filler = b.broadcast(b.const(other, dtypes.F64), (TILE,))
    b.span = SPAN
    b.store(out, at, b.load(x, from_, mask, filler))
    return kernel(b, "tile", [x, out])


def test_masked_lanes_hold_other_and_touch_nothing() -> None:
    out = np.full(TILE, 9.0)
    run(copying(start=0, masked=3, other=-1.0), (1, 1, 1), (1, 1, 1), [np.arange(3.0), out])
    assert out.tolist() == [0.0, 1.0, 2.0] + [-1.0] * 5


def test_an_empty_array_may_be_masked_off() -> None:
    out = np.zeros(TILE)
    run(copying(masked=0, other=4.0), (1, 1, 1), (1, 1, 1), [np.empty(0), out])
    assert out.tolist() == [4.0] * TILE


def test_offsets_count_from_the_pointer_and_stay_in_the_whole_array() -> None:
    out = np.zeros(TILE)
    run(copying(start=-2), (1, 1, 1), (1, 1, 1), [(np.arange(16.0), 5), out])
    assert out.tolist() == [float(value) for value in range(3, 3 + TILE)]


@pytest.mark.parametrize(("start", "offset", "index"), [(0, 5, 10), (-3, 0, -3), (0, 3, 10), (-9, 4, -5)])
def test_a_fault_names_the_place(start: int, offset: int, index: int) -> None:
    with pytest.raises(KernelFault) as caught:
        run(copying(start), (1, 1, 1), (1, 1, 1), [(np.arange(10.0), offset), np.zeros(TILE)])
    found = caught.value.diagnostic
    assert found.code == "out-of-bounds"
    assert found.primary.span.line == 3
    lane = index - start - offset
    assert f"index {index}, but 'x' has 10 elements" in found.primary.text
    assert found.notes == (f"in program 0, lane {lane}",)


def test_the_fault_of_a_later_program_is_told_from_the_others() -> None:
    with pytest.raises(KernelFault) as caught:
        run(copying(), (20000, 2, 1), (1, 1, 1), [np.zeros(100001), np.zeros(200000)])
    assert caught.value.diagnostic.notes == ("in program (12500, 0, 0), lane 1",)


def test_only_instances_that_are_there_are_checked() -> None:
    """A load behind a condition is not done for the others, wild as their offsets are."""
    b = Builder()
    x, out = pointer(b, "x", const=True), pointer(b, "out")
    i = b.apply("mul", b.index("thread_id"), b.const(10**15, dtypes.I64))
    first = b.apply("eq", i, b.const(0, dtypes.I64))

    def then() -> tir.Terminator:
        b.store(b.offset(out, i), None, b.load(b.offset(x, i)))
        return tir.Yield()

    b.add(tir.If(first, b.block(then), b.block(lambda: tir.Yield()), ()))
    found = np.zeros(1)
    run(kernel(b, "thread", [x, out]), (1, 1, 1), (32, 1, 1), [np.array([7.0]), found])
    assert found.tolist() == [7.0]


def test_equal_offsets_leave_one_of_the_values_whole() -> None:
    b = Builder()
    out = pointer(b, "out", dtypes.I64)
    lane = b.arange(TILE)
    slot = b.apply("floordiv", lane, b.broadcast(b.const(4, dtypes.I64), (TILE,)))
    b.store(out, slot, lane)
    found = np.full(3, -1)
    run(kernel(b, "tile", [out]), (3, 1, 1), (1, 1, 1), [found])
    assert found[0] in range(4)
    assert found[1] in range(4, 8)
    assert found[2] == -1


def test_a_scalar_store_is_seen_by_a_later_load() -> None:
    b = Builder()
    out = pointer(b, "out", dtypes.I64)
    program = b.index("program_id")
    b.store(out, program, b.apply("add", program, b.const(5, dtypes.I64)))
    b.store(out, program, b.apply("mul", b.load(out, program), b.const(2, dtypes.I64)))
    found = np.zeros(3, np.int64)
    run(kernel(b, "tile", [out]), (3, 1, 1), (1, 1, 1), [found])
    assert found.tolist() == [10, 12, 14]


def test_bools_are_bytes_that_are_not_zero() -> None:
    b = Builder()
    x, out = pointer(b, "x", dtypes.BOOL, const=True), pointer(b, "out", dtypes.BOOL)
    lane = b.arange(4)
    b.store(out, lane, b.apply("invert", b.load(x, lane)))
    found = np.ones(4, bool)
    run(kernel(b, "tile", [x, out]), (1, 1, 1), (1, 1, 1), [np.array([0, 1, 2, 255], np.uint8).view(bool), found])
    assert found.view(np.uint8).tolist() == [1, 0, 0, 0]


def test_a_nan_that_is_only_moved_keeps_its_bits() -> None:
    signalling = np.array([0x7FF0000000000001] * TILE, np.uint64).view(np.float64)
    out = np.zeros(TILE)
    run(copying(), (1, 1, 1), (1, 1, 1), [signalling, out])
    assert out.tobytes() == signalling.tobytes()


def test_pointers_into_several_arrays() -> None:
    """`p = x if thread % 2 else y; p = p + 1 in a loop`: loads, stores and faults find the right array."""
    b = Builder()
    x, y, out = pointer(b, "x"), pointer(b, "y"), pointer(b, "out")
    thread = b.index("thread_id")
    odd = b.apply("eq", b.apply("mod", thread, b.const(2, dtypes.I64)), b.const(1, dtypes.I64))
    chosen = b.fresh(Pointer(dtypes.F64), "p")
    b.add(tir.If(odd, b.block(lambda: tir.Yield((x,))), b.block(lambda: tir.Yield((y,))), (chosen,)))
    zero, one = b.const(0, dtypes.I64), b.const(1, dtypes.I64)
    carried, result, turn = (
        b.fresh(Pointer(dtypes.F64), "p"),
        b.fresh(Pointer(dtypes.F64), "p"),
        b.fresh(Scalar(dtypes.I64)),
    )
    body = b.block(lambda: tir.Yield((b.offset(carried, one),)))
    b.add(tir.For(turn, zero, thread, one, (chosen,), (carried,), body, (result,)))
    value = b.load(result)
    b.store(b.offset(out, thread), None, value)
    b.store(result, None, b.apply("add", value, b.const(0.5, dtypes.F64)))
    function = kernel(b, "thread", [x, y, out])
    first, second, found = np.arange(6.0), np.arange(6.0) + 100, np.zeros(6)
    run(function, (1, 1, 1), (6, 1, 1), [first, second, found])
    assert found.tolist() == [100.0, 1.0, 102.0, 3.0, 104.0, 5.0]
    assert first.tolist() == [0.0, 1.5, 2.0, 3.5, 4.0, 5.5]
    assert second.tolist() == [100.5, 101.0, 102.5, 103.0, 104.5, 105.0]
    with pytest.raises(KernelFault) as caught:
        run(function, (1, 1, 1), (6, 1, 1), [np.arange(4.0), second, found])
    assert "'x' has 4 elements" in caught.value.diagnostic.primary.text


def test_local_arrays_are_zeroed_for_each_thread_and_each_turn() -> None:
    b = Builder()
    out = pointer(b, "out", dtypes.I64)
    thread, one = b.index("thread_id"), b.const(1, dtypes.I64)
    turn = b.fresh(Scalar(dtypes.I64))

    def body() -> tir.Terminator:
        own = b.alloc(dtypes.I64, 2, "local", name="own")
        second = b.offset(own, one)
        b.store(second, None, b.apply("add", b.load(second), thread))
        slot = b.offset(out, thread)
        b.store(slot, None, b.apply("add", b.load(slot), b.load(second)))
        return tir.Yield()

    b.add(tir.For(turn, b.const(0, dtypes.I64), b.const(3, dtypes.I64), one, (), (), b.block(body), ()))
    found = np.zeros(5, np.int64)
    run(kernel(b, "thread", [out]), (1, 1, 1), (5, 1, 1), [found])
    assert found.tolist() == [0, 3, 6, 9, 12]


def test_a_local_array_has_bounds() -> None:
    b = Builder()
    out = pointer(b, "out", dtypes.I64)
    own = b.alloc(dtypes.I64, 2, "local", name="own")
    b.store(b.offset(own, b.index("thread_id")), None, b.const(1, dtypes.I64))
    with pytest.raises(KernelFault) as caught:
        run(kernel(b, "thread", [out]), (2, 1, 1), (3, 1, 1), [np.zeros(1, np.int64)])
    found = caught.value.diagnostic
    assert found.primary.text == "index 2, but the local array 'own' has 2 elements"
    assert found.notes == ("in block 0, thread 2",)


@pytest.mark.parametrize("dtype", [dtypes.F64, dtypes.I32, dtypes.BOOL], ids=str)
def test_shared_arrays_do_not_start_as_zeros(dtype: DType) -> None:
    b = Builder()
    out = pointer(b, "out", dtype)
    parked = b.alloc(dtype, 4, "shared", name="parked")
    thread = b.index("thread_id")
    b.store(b.offset(out, thread), None, b.load(b.offset(parked, thread)))
    found = np.zeros(4, dtype.numpy)
    run(kernel(b, "thread", [out]), (1, 1, 1), (4, 1, 1), [found])
    assert all(value != 0 for value in found.tolist())


def test_arrays_of_many_threads_do_not_pile_up() -> None:
    """Blocks are taken few at a time where each thread has much: 256 MB in all, of which little is there at once."""
    b = Builder()
    out = pointer(b, "out", dtypes.I64)
    own = b.alloc(dtypes.I64, 4096, "local", name="own")
    last = b.offset(own, b.const(4095, dtypes.I64))
    b.store(last, None, b.index("thread_id"))
    at = b.apply("add", b.apply("mul", b.index("block_id"), b.index("block_dim")), b.index("thread_id"))
    b.store(b.offset(out, at), None, b.load(last))
    found = np.zeros(2**13, np.int64)
    tracemalloc.start()
    run(kernel(b, "thread", [out]), (2**8, 1, 1), (32, 1, 1), [found])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.tolist() == [*range(32)] * 2**8
    assert peak < 2**27
