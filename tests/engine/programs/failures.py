"""What a call raises when the driver refuses something, and what host arrays hold then."""

from __future__ import annotations

from typing import Any

import gpu_ext as gpu
import numpy as np
import tensors

from tests.engine.arrays import Exchanged, Imported, Interface, calls, driver, new_stream
from tests.engine.expecting import in_child, refused

OUT_OF_MEMORY, NO_IMAGE, ILLEGAL_ADDRESS, RESOURCES = 2, 209, 700, 701


def fail(name: str, code: int, at: int = 1) -> None:
    driver.fake_fail(name.encode(), at, code)


def saxpy(x: Any, y: Any) -> None:
    gpu.saxpy[1](4, 2.0, x, y)


def check_a_launch_that_is_refused() -> None:
    x, y = Exchanged(np.ones(4)), Exchanged(np.ones(4))
    fail("kernel", RESOURCES)
    text = "saxpy: the launch failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (as asked)"
    refused(RuntimeError, text, saxpy, x.array, y.array)
    fail("kernel", NO_IMAGE)
    text = "the module holds no code for this device (Fake GPU): build it with --arch sm_90"
    refused(RuntimeError, text, saxpy, x.array, y.array)
    fail("kernel", 35)
    refused(
        RuntimeError,
        "install a newer driver, or build the module with an older toolkit",
        saxpy,
        x.array,
        y.array,
    )
    fail("kernel", OUT_OF_MEMORY)
    refused(MemoryError, "saxpy: the device has too little memory", saxpy, x.array, y.array)
    fail("kernel", 12345)
    refused(RuntimeError, "saxpy: the launch failed: error 12345", saxpy, x.array, y.array)
    text = "CUDA_ERROR_INVALID_HANDLE (as asked); is the stream still there, and of the device's primary context?"
    refused(RuntimeError, text, gpu.saxpy[1], 4, 2.0, x.array, y.array, stream=12345)
    gpu.saxpy[1](4, 2.0, x.array, y.array, stream=new_stream())
    assert y.values.tolist() == [3.0] * 4
    assert calls("cuStreamGetCtx") == 0  # where there is one device, nobody asks whose a stream is


def check_earlier_work_that_failed() -> None:
    x, y = Exchanged(np.ones(4)), Exchanged(np.ones(4))
    text = (
        "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); arrays that it may write are undefined"
    )
    fail("kernel", ILLEGAL_ADDRESS)
    refused(RuntimeError, text, saxpy, x.array, y.array)
    fail("cuCtxGetCurrent", ILLEGAL_ADDRESS)
    refused(RuntimeError, text, saxpy, x.array, y.array)
    fail("cuPointerGetAttributes", ILLEGAL_ADDRESS)
    refused(RuntimeError, text, saxpy, Interface(np.ones(4)), y.array)
    fail("cuEventCreate", ILLEGAL_ADDRESS)
    refused(RuntimeError, text, saxpy, Imported(np.ones(4)), y.array)


def check_nothing_is_written_before_the_first_kernel() -> None:
    for name, code, error in (
        ("cuMemAlloc_v2", OUT_OF_MEMORY, MemoryError),
        ("cuMemcpyHtoDAsync_v2", RESOURCES, RuntimeError),
        ("cuMemcpyHtoDAsync_v2", ILLEGAL_ADDRESS, RuntimeError),
        ("kernel", RESOURCES, RuntimeError),
        ("kernel", ILLEGAL_ADDRESS, RuntimeError),
    ):
        big = 1 << 20  # no block of an earlier call is large enough for the next
        for size in (4, big):
            x, y = np.ones(size), np.arange(float(size))
            if name == "cuMemAlloc_v2" and size == 4:
                continue
            fail(name, code, 0)
            refused(error, "saxpy: ", saxpy, x, y)
            fail(name, 0)
            assert (y == np.arange(float(size))).all(), (name, code)
    y = np.ones(4)
    saxpy(np.ones(4), y)
    assert y.tolist() == [3.0] * 4


def check_a_fault_of_the_kernel_is_said_when_it_is_waited_for() -> None:
    text = (
        "saxpy: the kernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); arrays that"
    )
    fail("cuStreamSynchronize", ILLEGAL_ADDRESS)
    refused(RuntimeError, text, saxpy, np.ones(4), np.ones(4))
    fail("cuMemcpyDtoHAsync_v2", ILLEGAL_ADDRESS)
    refused(RuntimeError, text, saxpy, np.ones(4), np.ones(4))


def check_statuses_of_a_launcher() -> None:
    for status, error in ((1, OverflowError), (2, ZeroDivisionError), (3, ValueError), (4, ValueError)):
        host, device = np.zeros(1), Exchanged(np.zeros(1))
        for x in (host, device.array):
            refused(error, "run: ", gpu.run, 2, status, x)
        assert host.tolist() == device.values.tolist() == [2.0]  # what it launched before has run
    refused(RuntimeError, "run: the launch failed (status 5)", gpu.run, 1, 5, Exchanged(np.zeros(1)).array)
    host = np.zeros(1)
    driver.fake_fail(b"kernel", 2, RESOURCES)
    refused(RuntimeError, "run: the launch failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", gpu.run, 2, 0, host)


def check_a_launcher_that_failed_holds_what_its_kernels_use() -> None:
    x, before = Imported(np.zeros(1)), tensors.counts()[1]
    refused(OverflowError, "run: ", gpu.run, 2, 1, x)
    assert tensors.counts()[1] == before + 1
    assert x.values.tolist() == [2.0]


def check_fork() -> None:
    x, y = Exchanged(np.ones(4)), Exchanged(np.ones(4))
    for call in (lambda: saxpy(x.array, y.array), lambda: saxpy(np.ones(4), np.ones(4))):
        said = in_child(call)
        assert said.startswith("RuntimeError: saxpy: a device cannot be used in a child of fork()"), said
    saxpy(x.array, y.array)
    assert y.values.tolist() == [3.0] * 4
