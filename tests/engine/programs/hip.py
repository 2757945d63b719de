"""The same engine on AMD's driver: other names, devices instead of contexts, and DLPack's other numbers."""

from __future__ import annotations

import hip_ext as hip
import numpy as np
import tensors

from tests.engine.arrays import FLOAT, Exchanged, Interface, allocate, at, calls, driver, new_stream
from tests.engine.expecting import refused

ROCM = 10


def tensor(address: int, device: int = 0) -> tensors.Exchanged:
    return tensors.Exchanged(address, (4,), FLOAT, 64, ROCM, device)


def check_arrays_and_streams_of_a_device() -> None:
    for device in (0, 1):
        x, y = Interface(np.arange(4.0), device), allocate(np.ones(4), device)
        stream = new_stream(device)
        tensors.set_stream(stream)
        hip.saxpy[1](4, 2.0, x, tensor(y, device))
        assert at(y, 4).tolist() == [1.0, 3.0, 5.0, 7.0]
        assert (driver.fake_last_device(), driver.fake_last_stream()) == (device, stream)
    tensors.set_stream(0)


def check_the_current_device_stays() -> None:
    assert driver.hipSetDevice(1) == 0
    x, y = allocate(np.arange(4.0), 0), allocate(np.ones(4), 0)
    driver.fake_forget_calls()
    hip.saxpy[1](4, 2.0, tensor(x), tensor(y))
    assert (driver.fake_last_device(), calls("cuStreamSynchronize"), calls("cuMemAlloc_v2")) == (0, 0, 0)
    host = np.ones(4)
    hip.saxpy[1](4, 2.0, np.arange(4.0), host)
    assert (driver.fake_last_device(), host.tolist()) == (1, [1.0, 3.0, 5.0, 7.0])
    assert driver.hipSetDevice(0) == 0


def check_host_and_pinned_arrays() -> None:
    y = at(allocate(np.ones(4), pinned=True), 4)
    driver.fake_forget_calls()
    hip.saxpy[1](4, 2.0, np.arange(4.0), y)
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0]
    assert (calls("cuMemcpyHtoDAsync_v2"), calls("cuMemcpyDtoHAsync_v2")) == (1, 0)


def check_what_is_refused() -> None:
    y, x = allocate(np.ones(4)), Exchanged(np.ones(4))
    refused(
        ValueError,
        "argument 'x' is on a CUDA device; this module is built for HIP",
        hip.saxpy[1],
        4,
        2.0,
        x.array,
        tensor(y),
    )
    text = "saxpy: the stream is one of device 1, and argument 'x' is on device 0"
    z = tensor(allocate(np.ones(4)))
    refused(ValueError, text, hip.saxpy[1], 4, 2.0, z, tensor(y), stream=new_stream(1))
    driver.fake_fail(b"kernel", 1, 2)
    refused(
        MemoryError, "too little memory: hipErrorOutOfMemory (as asked)", hip.saxpy[1], 4, 2.0, np.ones(4), tensor(y)
    )
    refused(ValueError, "of 4294967295 threads in all", hip.run, 0, 3, tensor(y))
