"""Host arrays given to a module for devices, whose work here waits until somebody waits for it."""

from __future__ import annotations

from typing import Any

import gpu_ext as gpu
import numpy as np
import tensors

from tests.engine.arrays import Exchanged, Imported, allocate, at, calls, driver, new_stream
from tests.engine.expecting import refused


def saxpy(n: int, x: Any, y: Any, **more: Any) -> None:
    gpu.saxpy[-(-n // 256)](n, 2.0, x, y, **more)


def check_they_go_and_come_back() -> None:
    for n in (1, 4, 1000, 1 << 18, (1 << 19) + 3):
        for stream in (None, new_stream()):
            y = np.ones(n)
            saxpy(n, np.arange(float(n)), y, stream=stream)
            assert (y == 2.0 * np.arange(n) + 1.0).all(), n


def check_only_what_a_kernel_may_write_comes_back() -> None:
    x, y = np.ones(4), np.ones(4)
    x.flags.writeable = False
    driver.fake_forget_calls()
    saxpy(4, x, y)
    assert calls("cuMemcpyHtoDAsync_v2") == 2
    assert calls("cuMemcpyDtoHAsync_v2") == 1
    assert y.tolist() == [3.0] * 4


def check_beside_arrays_of_the_device() -> None:
    x, y = Exchanged(np.arange(4.0)), np.ones(4)
    saxpy(4, x.array, y)
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0]
    z = Exchanged(np.ones(4))
    saxpy(4, y, z.array)
    assert z.values.tolist() == [3.0, 7.0, 11.0, 15.0]
    forgotten = tensors.Exchanged(np.ones(4).ctypes.data, (4,), 2, 64)
    refused(ValueError, "argument 'y' is in host memory, and 'x' on device 0", saxpy, 4, x.array, forgotten)


def check_dlpack_arrays_are_held_where_the_call_does_not_wait() -> None:
    y = Imported(np.ones(4))
    before = tensors.counts()[1]
    saxpy(4, np.arange(4.0), y)  # no host array comes back
    assert tensors.counts()[1] == before + 1
    assert y.values.tolist() == [1.0, 3.0, 5.0, 7.0]


def check_tensors_of_the_host() -> None:
    held = np.ones(4)
    saxpy(4, np.arange(4.0), tensors.Exchanged(held.ctypes.data, (4,), 2, 64))
    assert held.tolist() == [1.0, 3.0, 5.0, 7.0]


def check_an_interface_that_only_others_of_the_type_have() -> None:
    class Tensor:
        """As torch's were before they had the exchange API."""

        def __init__(self, held: Any) -> None:
            self.held = held

        @property
        def __cuda_array_interface__(self) -> Any:
            raise AttributeError("not of a device")

        def __dlpack_device__(self) -> Any:
            return self.held.__dlpack_device__()

        def __dlpack__(self, **options: Any) -> Any:
            return self.held.__dlpack__(**options)

    held = np.ones(4)
    saxpy(4, Tensor(np.arange(4.0)), Tensor(held))
    assert held.tolist() == [1.0, 3.0, 5.0, 7.0]


def check_overlapping_arrays_share_one_copy() -> None:
    held = np.zeros(6)
    gpu.mix[1](5, held[:5], held[:5])
    assert held.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 0.0]
    held = np.zeros(6)
    gpu.mix[1](5, held[:5], held[1:])
    assert held.tolist() == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    refused(ValueError, "arguments 'x' and 'y' overlap", saxpy, 4, held[:4], held[2:])


def check_pointers_into_them() -> None:
    class Pointer:
        def __init__(self, array: Any, offset: int) -> None:
            self.__transpile_pointer__ = (array, offset)

        __transpile_pointer__: Any = None

    y = np.ones(8)
    saxpy(3, Pointer(np.arange(8.0), 5), Pointer(y, 2))
    assert y.tolist() == [1.0, 1.0, 11.0, 13.0, 15.0, 1.0, 1.0, 1.0]


def check_pinned_arrays_are_used_in_place() -> None:
    x, y = at(allocate(np.arange(4.0), pinned=True), 4), at(allocate(np.ones(4), pinned=True), 4)
    driver.fake_forget_calls()
    saxpy(4, x, y)
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0]
    assert calls("cuMemcpyHtoDAsync_v2") == calls("cuMemcpyDtoHAsync_v2") == calls("cuMemAlloc_v2") == 0
    assert calls("cuStreamSynchronize") == 1  # they may be read, and written, when the call returns


def check_a_pinned_array_beside_others() -> None:
    y = at(allocate(np.ones(4), pinned=True), 4)
    saxpy(4, np.arange(4.0), y)
    saxpy(4, Exchanged(np.arange(4.0)).array, y)
    assert y.tolist() == [1.0, 5.0, 9.0, 13.0]


def check_half_pinned_arrays_are_copied() -> None:
    # a pinned block ends before the array does: the driver knows the first element and not the last
    start = allocate(np.ones(4), pinned=True)
    x = at(start, 64)
    driver.fake_forget_calls()
    saxpy(4, x, np.ones(4))
    assert calls("cuMemcpyHtoDAsync_v2") == 2


def check_an_empty_grid_runs_nothing() -> None:
    y = np.ones(4)
    gpu.saxpy[0](4, 2.0, np.ones(4), y)
    assert y.tolist() == [1.0] * 4
