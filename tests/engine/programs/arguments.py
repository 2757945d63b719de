"""Which arrays a module for devices takes, and what it refuses."""

from __future__ import annotations

import threading
from typing import Any

import gpu_ext as gpu
import numpy as np
import tensors

from tests.engine.arrays import (
    CUDA,
    FLOAT,
    Cupy,
    Exchanged,
    Holder,
    Imported,
    Interface,
    allocate,
    calls,
    current,
    driver,
    leave,
    ndarray,
    pretend_cupy,
    use,
)
from tests.engine.expecting import refused

cupy = pretend_cupy("intptr_t (int, int)")  # asked through Python
KINDS: tuple[Any, ...] = (Exchanged, Interface, Cupy)


def saxpy(x: Any, y: Any, n: int = 4, **more: Any) -> None:
    gpu.saxpy[1](n, 2.0, x, y, **more)


def check_every_kind_with_every_kind() -> None:
    for one in (*KINDS, Imported):
        for other in (*KINDS, Imported):
            x, y = one(np.arange(4.0)), other(np.ones(4))
            saxpy(x.array, y.array)
            assert y.values.tolist() == [1.0, 3.0, 5.0, 7.0], (one, other)


def check_old_dlpack() -> None:
    x, y = Imported(np.arange(4.0), is_versioned=False), Exchanged(np.ones(4))
    saxpy(x.array, y.array)
    assert y.values.tolist() == [1.0, 3.0, 5.0, 7.0]
    assert x.asked == [{"stream": 1}]


def check_offsets_and_shapes() -> None:
    held = Holder(np.arange(12.0))
    moved = tensors.Exchanged(held.address, (2, 2), FLOAT, 64, CUDA, 0, strides=(2, 1), offset=32)
    y = Exchanged(np.ones(4))
    saxpy(moved, y.array)
    assert y.values.tolist() == [9.0, 11.0, 13.0, 15.0]

    class Pointer:
        __transpile_pointer__ = (Exchanged(np.arange(8.0)).array, 4)

    saxpy(Pointer(), y.array)
    assert y.values.tolist() == [17.0, 21.0, 25.0, 29.0]


def check_the_current_device_is_the_arrays() -> None:
    for before in (-1, 0, 1):
        for device in (0, 1):
            leave() if before < 0 else use(before)
            x, y = Exchanged(np.arange(4.0), device), Cupy(np.ones(4), device)
            saxpy(x.array, y.array)
            assert driver.fake_last_device() == device
            assert current() == (0 if before < 0 and device == 0 else before)
    leave()


def check_a_type_that_calls_a_kernel_as_it_is_looked_at() -> None:
    """What is remembered of one type is never taken for another's, though both were looked at together."""
    seen = []

    class Nested(type):
        def __getattribute__(cls, name: str) -> Any:
            if name == "size" and not seen:
                seen.append(name)
                call()
            return super().__getattribute__(name)

    class Own(ndarray, metaclass=Nested):
        __slots__ = ("size",)

    def call() -> None:
        saxpy(Cupy(np.ones(4)).array, Cupy(np.ones(4)).array)

    call()
    x, y = Holder(np.ones(4)), Cupy(np.ones(4))
    saxpy(Own(x), y.array)
    call()
    assert (y.values.tolist(), seen) == ([3.0] * 4, ["size"])


def check_two_devices_are_refused() -> None:
    for one in (*KINDS, Imported):
        for other in KINDS:
            x, y = one(np.arange(4.0), 0), other(np.ones(4), 1)
            refused(ValueError, "saxpy: arguments 'x' and 'y' are on two devices, 0 and 1", saxpy, x.array, y.array)
            assert y.values.tolist() == [1.0] * 4


def check_what_is_not_contiguous() -> None:
    y = Exchanged(np.ones(4))
    strided = tensors.Exchanged(allocate(np.zeros(8)), (4,), FLOAT, 64, CUDA, 0, strides=(2,))
    refused(ValueError, "argument 'x' is not C-contiguous; pass x.contiguous()", saxpy, strided, y.array)
    x = Cupy(np.zeros(4), is_contiguous=False)
    refused(ValueError, "not C-contiguous; pass cupy.ascontiguousarray(x)", saxpy, x.array, y.array)
    other = Interface(np.zeros(8), shape=(4,), strides=(16,))
    refused(ValueError, "argument 'x' is not C-contiguous; pass a contiguous copy", saxpy, other, y.array)
    transposed = Interface(np.zeros(4), shape=(2, 2), strides=(8, 16))
    refused(ValueError, "argument 'x' is not C-contiguous", saxpy, transposed, y.array)
    saxpy(Interface(np.zeros(4), shape=(1, 4), strides=(999, 8)), y.array)  # an axis of size 1 may have any stride


def check_dtypes() -> None:
    y = Exchanged(np.ones(4))
    narrow = tensors.Exchanged(allocate(np.zeros(4, "f4")), (4,), FLOAT, 32, CUDA, 0)
    refused(TypeError, "argument 'x' must be an array of float64, not of float32", saxpy, narrow, y.array)
    for kind in (Interface, Cupy):
        x = kind(np.zeros(4, "i4"))
        refused(TypeError, "argument 'x' must be an array of float64, not of int32", saxpy, x.array, y.array)
    swapped = Interface(np.zeros(4, ">f8"))
    refused(TypeError, "in the machine's byte order", saxpy, swapped, y.array)
    half, flags, out = np.array([3], "u2"), Cupy(np.ones(1, "?")), Interface(np.zeros(1, "f4"))
    as_half = tensors.Exchanged(allocate(half), (1,), FLOAT, 16, CUDA, 0)
    as_brain = tensors.Exchanged(allocate(half), (1,), 4, 16, CUDA, 0)
    gpu.touch[1, 1](as_half, as_brain, flags.array, out)
    assert out.values.tolist() == [7.0]
    refused(
        TypeError,
        "'brain' must be an array of bfloat16, not of float16",
        gpu.touch[1, 1],
        as_half,
        as_half,
        flags.array,
        out,
    )


def check_writability() -> None:
    x = Exchanged(np.zeros(4))
    for y in (Interface(np.ones(4), data=(allocate(np.ones(4)), True)), Imported(np.ones(4), read_only=True)):
        refused(ValueError, "argument 'y' is read-only, but the kernel may write it", saxpy, x.array, y.array)
        saxpy(y.array, x.array)

    class Array(tensors.Buffered, Imported):  # type: ignore[misc]
        pass

    Array.__module__ = "jaxlib._jax"
    y = Array(np.ones(4))
    refused(ValueError, "argument 'y' is read-only", saxpy, x.array, y)

    class Exchanging(tensors.Exchanged):  # type: ignore[misc]
        def __dlpack__(self) -> None:
            pass

    Exchanging.__module__ = "jaxlib._jax"
    held = Holder(np.ones(4))
    same = Exchanging(held.address, (4,), FLOAT, 64, CUDA, 0)
    refused(ValueError, "argument 'y' is read-only", saxpy, x.array, same)
    saxpy(y, x.array)
    assert x.values.tolist() == [2.0 + 4.0] * 4


def check_alignment_and_overlap() -> None:
    address = allocate(np.zeros(9))
    odd = tensors.Exchanged(address + 4, (4,), FLOAT, 64, CUDA, 0)
    x, y = Exchanged(np.zeros(4)), Exchanged(np.zeros(4))
    refused(ValueError, "argument 'x' is not aligned to its 8-byte elements", saxpy, odd, y.array)
    same = Interface(np.zeros(4), data=(x.address + 24, False))
    refused(ValueError, "arguments 'x' and 'y' overlap in memory", saxpy, x.array, same)
    late = Imported(np.zeros(4))
    late.tensor = tensors.Tensor(x.address, (4,), FLOAT, 64, CUDA, 0)
    refused(ValueError, "arguments 'x' and 'y' overlap in memory", saxpy, late, x.array)
    gpu.mix[1](3, x.array, same)


def check_a_buffer_that_refuses() -> None:
    class Array(tensors.Buffered, Interface):  # type: ignore[misc]
        pass

    class Other(tensors.Buffered, Imported):  # type: ignore[misc]
        pass

    y = Exchanged(np.ones(4))
    for kind in (Array, Other):
        saxpy(kind(np.ones(4)), y.array)
    assert y.values.tolist() == [5.0] * 4
    refused(TypeError, "argument 'x' is an array that cannot be passed", saxpy, tensors.Buffered(), y.array)


def check_an_interface_in_a_thread_that_has_no_device() -> None:
    x, y = Interface(np.arange(4.0)), Interface(np.ones(4))
    thread = threading.Thread(target=saxpy, args=(x, y))
    thread.start()
    thread.join()
    assert y.values.tolist() == [1.0, 3.0, 5.0, 7.0]


def check_an_interface_that_changes_as_it_is_read() -> None:
    y = Exchanged(np.ones(4))
    given = Interface(np.arange(4.0))
    described = given.__cuda_array_interface__

    class Size:
        def __index__(self) -> int:
            described.clear()
            return 4

    described.update(shape=(Size(),), data=(given.address, bytes(1 << 20)[:0]), strides=(8,))
    saxpy(given, y.array)
    assert (y.values.tolist(), described) == ([1.0, 3.0, 5.0, 7.0], {})


def check_empty_arrays() -> None:
    nothing = Interface(np.zeros(0), data=(0, False))
    y = Exchanged(np.ones(4))
    saxpy(nothing, y.array, n=0)
    saxpy(nothing, np.zeros(0), n=0)
    saxpy(tensors.Exchanged(0, (0,), FLOAT, 64, CUDA, 0), nothing, n=0)
    assert y.values.tolist() == [1.0] * 4


def check_what_is_no_array_of_a_device() -> None:
    y = Exchanged(np.ones(4))
    nowhere = tensors.Exchanged(y.address, (0,), FLOAT, 64, CUDA, 7)
    refused(
        RuntimeError, "saxpy: the driver failed: there is no device 7: the driver sees 2", saxpy, nowhere, nowhere, 0
    )
    rocm = tensors.Exchanged(y.address, (4,), FLOAT, 64, 10, 0)
    refused(ValueError, "argument 'x' is on another device; this module is built for CUDA", saxpy, rocm, y.array)
    host = Interface(np.zeros(4), data=(np.zeros(4).ctypes.data, False))
    refused(ValueError, "__cuda_array_interface__ points to memory of no device", saxpy, host, y.array)
    for wrong in ({"shape": None}, {"data": 3}, {"typestr": 8}, {"mask": y}, {"strides": (8, 8)}, {"strides": 8}):
        other = Interface(np.zeros(4), **wrong)
        refused(TypeError, "argument 'x': its __cuda_array_interface__ ", saxpy, other, y.array)
    refused(TypeError, "argument 'x' must be an array of float64, not list", saxpy, [1.0], y.array)
    deep = tensors.Exchanged(y.address, (1,) * 8, FLOAT, 64, CUDA, 0)
    refused(TypeError, "argument 'x' is an array that cannot be passed", saxpy, deep, y.array)


def check_a_type_may_learn_it_later() -> None:
    class Array:
        pass

    y = Exchanged(np.ones(4))
    refused(TypeError, "argument 'x' must be an array of float64, not Array", saxpy, Array(), y.array)
    Array.__cuda_array_interface__ = Interface(np.ones(4)).__cuda_array_interface__  # type: ignore[attr-defined]
    saxpy(Array(), y.array)
    assert y.values.tolist() == [3.0] * 4


def check_nothing_is_leaked() -> None:
    import sys

    x, y, z = Exchanged(np.zeros(4)), Cupy(np.zeros(4)), Imported(np.zeros(4))
    held = (x.array, y.array, y.array.data, y.array.dtype, z, z.tensor)
    saxpy(x.array, y.array)
    saxpy(z, y.array)
    counts = [sys.getrefcount(each) for each in held]
    alive = tensors.counts()[1]
    for _ in range(200):
        saxpy(x.array, y.array)
        saxpy(z, y.array)
        refused(ValueError, "overlap", saxpy, x.array, x.array)
    z.asked.clear()
    assert tensors.counts()[1] <= alive + 1
    now = [sys.getrefcount(each) for each in held]
    assert now[:3] == counts[:3], (now, counts)
    assert sys.getrefcount(held[3]) < counts[3] + 100  # NumPy's float64, which all share


def check_a_call_allocates_nothing() -> None:
    x, y = Exchanged(np.zeros(4)), Exchanged(np.zeros(4))
    use(0)
    saxpy(x.array, y.array)
    driver.fake_forget_calls()
    for _ in range(10):
        saxpy(x.array, y.array)
    assert calls("kernel") == 10
    assert calls("cuCtxGetCurrent") == 10
    for name in ("cuMemAlloc_v2", "cuCtxSetCurrent", "cuStreamSynchronize", "cuPointerGetAttributes", "cuInit"):
        assert calls(name) == 0, name
    leave()


def check_kernels_without_arrays_of_a_device_run_on_the_current_one() -> None:
    for before, device in ((-1, 0), (1, 1)):
        leave() if before < 0 else use(before)
        y = np.ones(4)
        saxpy(np.arange(4.0), y)
        assert (y.tolist(), driver.fake_last_device()) == ([1.0, 3.0, 5.0, 7.0], device)
    leave()
