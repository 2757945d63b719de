"""On which stream a kernel runs, and what a captured call must not do."""

from __future__ import annotations

import ctypes
import importlib.machinery
import sys
import threading
import time
import types
from typing import Any

import gpu_ext as gpu
import numpy as np
import tensors

from tests.engine.arrays import (
    Cupy,
    Exchanged,
    Imported,
    Interface,
    Stream,
    allocate,
    at,
    calls,
    current_context,
    driver,
    new_stream,
    pretend_cupy,
    use,
    use_own_context,
)
from tests.engine.expecting import refused

cupy = pretend_cupy("intptr_t (int, int)")  # asked through Python
first, second = new_stream(), new_stream()
COUNT = 1 << 19  # elements of host arrays that are carried through the rings


def stream_of(x: Any, y: Any, **more: Any) -> int:
    """The stream of saxpy over these."""
    gpu.saxpy[1](4, 2.0, x.array, y.array, **more)
    return driver.fake_last_stream() or 0


def torch_works_on(stream: int) -> None:
    tensors.set_stream(stream)


def check_stream_takes_handles() -> None:
    x, y = Exchanged(np.ones(4)), Exchanged(np.ones(4))
    for given in (
        first,
        Stream(cuda_stream=first),
        Stream(ptr=first),
        Stream(__cuda_stream__=lambda: (0, first)),
        Stream(cuda_stream=7, ptr=8, __cuda_stream__=lambda: (0, first)),
    ):
        assert stream_of(x, y, stream=given) == first
    assert stream_of(x, y, stream=0) == 0
    assert stream_of(x, y, stream=1) == 1
    assert stream_of(x, y, stream=None) == 0


def check_stream_refuses_what_is_none() -> None:
    x, y = Exchanged(np.ones(4)), Exchanged(np.ones(4))
    for wrong in ("first", 1.0, True, Stream(), Stream(ptr="x"), Stream(__cuda_stream__=lambda: first), [first]):
        refused(TypeError, "saxpy: stream must be None, an int, or a stream of", stream_of, x, y, stream=wrong)
    for wrong in (-1, 1 << 64, -(1 << 70)):
        refused(ValueError, "saxpy: stream is no handle of a stream", stream_of, x, y, stream=wrong)

    class Broken:
        @property
        def ptr(self) -> int:
            raise ZeroDivisionError("its own error")

    refused(ZeroDivisionError, "its own error", stream_of, x, y, stream=Broken())


def check_the_producers_current_stream() -> None:
    torch_works_on(first)
    cupy.current = second
    asked = tensors.counts()[0]
    assert stream_of(Exchanged(np.ones(4)), Exchanged(np.ones(4))) == first
    assert tensors.counts()[0] == asked + 1  # once a call
    cupy.asked.clear()
    assert stream_of(Cupy(np.ones(4)), Cupy(np.ones(4))) == second
    assert cupy.asked == [0]
    assert stream_of(Cupy(np.ones(4), 1), Cupy(np.ones(4), 1), stream=0) == 0
    assert cupy.asked == [0]  # nobody is asked where `stream=` says it
    assert stream_of(Interface(np.ones(4), stream=second), Interface(np.ones(4))) == second
    assert stream_of(Interface(np.ones(4), stream=None), Interface(np.ones(4))) == 0
    assert stream_of(Exchanged(np.ones(4)), Interface(np.ones(4))) == first
    assert stream_of(Imported(np.ones(4)), Cupy(np.ones(4))) == second
    torch_works_on(0)
    cupy.current = 0


class SlowImport:
    """Finds `torch.cuda`, and gives other threads their turn while that is imported."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.has_begun, self.has_company = threading.Event(), threading.Event()

    def find_spec(self, name: str, *_: Any) -> Any:
        return importlib.machinery.ModuleSpec(name, self) if name == "torch.cuda" else None  # type: ignore[arg-type]

    def create_module(self, _: Any) -> Any:
        return self.module

    def exec_module(self, _: Any) -> None:
        self.has_begun.set()
        assert self.has_company.wait(10)
        time.sleep(0.1)  # the other thread is in its call by now


def check_a_torch_without_the_exchange_api_is_asked() -> None:
    torch: Any = types.ModuleType("torch")
    torch.cuda = types.ModuleType("torch.cuda")
    torch.__path__ = []
    asked = []

    def current_stream(device: int) -> Stream:
        asked.append(device)
        return Stream(cuda_stream=second)

    class Tensor(Interface):
        __module__ = "torch"

    torch.cuda.current_stream = current_stream
    slow: Any = SlowImport(torch.cuda)
    sys.modules["torch"] = torch
    sys.meta_path.insert(0, slow)
    found: list[int] = []

    def join() -> None:
        assert slow.has_begun.wait(10)
        slow.has_company.set()
        found.append(stream_of(Tensor(np.ones(4)), Tensor(np.ones(4))))

    company = threading.Thread(target=join)
    company.start()
    assert stream_of(Tensor(np.ones(4)), Tensor(np.ones(4))) == second
    company.join()
    sys.meta_path.remove(slow)
    assert (found, asked) == ([second], [0, 0])
    assert stream_of(Tensor(np.ones(4)), Tensor(np.ones(4)), stream=first) == first
    assert asked == [0, 0]
    del sys.modules["torch"], sys.modules["torch.cuda"]


def check_two_current_streams_want_a_word() -> None:
    torch_works_on(first)
    cupy.current = second
    x, y = Exchanged(np.ones(4)), Cupy(np.ones(4))
    text = "saxpy: arguments 'x' and 'y' come from different current streams; pass stream="
    refused(ValueError, text, stream_of, x, y)
    assert y.values.tolist() == [1.0] * 4
    assert stream_of(x, y, stream=second) == second
    cupy.current = first
    assert stream_of(x, y) == first
    torch_works_on(0)
    cupy.current = 1  # the legacy default stream has two names
    assert stream_of(x, y) == 0
    cupy.current = 0


def check_dlpack_producers_are_told_the_stream() -> None:
    cupy.current = second
    x = Imported(np.ones(4))
    stream_of(x, Cupy(np.ones(4)))
    stream_of(x, Cupy(np.ones(4)), stream=first)
    stream_of(x, Cupy(np.ones(4)), stream=0)
    assert [each["stream"] for each in x.asked] == [second, first, 1]
    cupy.current = 0


def check_dlpack_arrays_are_held_until_the_kernel_is_done() -> None:
    x, y = Imported(np.ones(4)), Exchanged(np.ones(4))
    alone = sys.getrefcount(x.tensor)
    for _ in range(20):
        stream_of(x, y)
        assert sys.getrefcount(x.tensor) == alone + 1  # the next call lets go of what is done
    stream_of(Imported(np.ones(4)), y)
    assert sys.getrefcount(x.tensor) == alone


def check_current_streams_are_of_the_device() -> None:
    of_other = new_stream(1)
    torch_works_on(of_other)
    x, y = Exchanged(np.ones(4), 1), Exchanged(np.ones(4), 1)
    assert stream_of(x, y) == of_other
    assert driver.fake_last_device() == 1
    torch_works_on(0)


def check_a_context_of_the_callers_own_stays_out_of_it() -> None:
    """What is kept for a device, of which there is one set, is of its primary context."""
    torch_works_on(0)
    own = use_own_context(1)
    x, y = Imported(np.ones(4), 1), Exchanged(np.ones(4), 1)
    use(1)
    primary = current_context()
    for context in (own, 0, own, primary):
        assert driver.cuCtxSetCurrent(ctypes.c_void_p(context or None)) == 0
        host = np.ones(COUNT)
        if context:
            gpu.saxpy[COUNT // 256](COUNT, 2.0, np.ones(COUNT), host)
            assert (host == 3.0).all()
        stream_of(x, y)
        assert current_context() == context
    driver.fake_forget_calls()
    stream_of(x, y)
    assert (current_context(), calls("cuCtxSetCurrent"), calls("cuCtxGetDevice")) == (primary, 0, 0)
    use(0)


def check_a_stream_of_another_device_is_refused() -> None:
    """The driver runs the kernel where the stream is: there the arrays are no memory at all."""
    of_other = new_stream(1)
    x, y = Exchanged(np.ones(4), 1), Exchanged(np.ones(4), 1)
    driver.fake_forget_calls()
    text = "saxpy: the stream is one of device 0, and argument 'x' is on device 1"
    refused(ValueError, text, stream_of, x, y, stream=first)
    refused(ValueError, text, stream_of, Interface(np.ones(4), 1, stream=first), Interface(np.ones(4), 1))
    text = "saxpy: the stream is one of device 1, and the current device is 0; use that device"
    refused(ValueError, text, gpu.saxpy[1], 4, 2.0, np.ones(4), np.ones(4), stream=of_other)
    assert (y.values.tolist(), calls("kernel"), calls("cuMemcpyHtoDAsync_v2")) == ([1.0] * 4, 0, 0)
    driver.fake_forget_calls()
    for either in (0, 1, 2):
        stream_of(x, y, stream=either)
    assert (driver.fake_last_device(), calls("cuStreamGetCtx")) == (1, 0)  # each device has the default streams
    driver.fake_capture(driver_handle(of_other), 1)
    assert stream_of(x, y, stream=of_other) == of_other
    assert calls("cuStreamGetCtx") == 1
    driver.fake_capture(driver_handle(of_other), 0)
    text = "CUDA_ERROR_INVALID_HANDLE (as asked); is the stream still there, and of the device's primary context?"
    refused(RuntimeError, text, stream_of, x, y, stream=12345)


def check_a_captured_call_waits_for_nothing() -> None:
    use(0)
    torch_works_on(first)
    x, y, z = Exchanged(np.ones(4)), Exchanged(np.ones(4)), Imported(np.ones(4))
    driver.fake_capture(driver_handle(first), 1)
    driver.fake_forget_calls()
    for one in (x, z):
        stream_of(one, y)
    for name in ("cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamSynchronize", "cuCtxSynchronize", "cuEventQuery"):
        assert calls(name) == 0, name
    host = np.ones(4)
    refused(
        ValueError,
        "argument 'y' is a host array, which a graph cannot capture",
        gpu.saxpy[1],
        4,
        2.0,
        x.array,
        host,
    )
    assert host.tolist() == [1.0] * 4
    pinned = at(allocate_pinned(np.ones(4)), 4)
    gpu.saxpy[1](4, 2.0, x.array, pinned)  # in place: the graph uses it as it is then
    assert calls("cuStreamSynchronize") == 0
    driver.fake_capture(driver_handle(first), 0)
    torch_works_on(0)


def driver_handle(stream: int) -> Any:
    return ctypes.c_void_p(stream)


def allocate_pinned(values: Any) -> int:
    """Pinned memory: not while a stream is captured."""
    driver.fake_capture(driver_handle(first), 0)
    address = allocate(values, pinned=True)
    driver.fake_capture(driver_handle(first), 1)
    return address


def check_several_threads() -> None:
    failed: list[str] = []

    def work(device: int) -> None:
        try:
            stream = new_stream(device)
            x, y = Interface(np.ones(64), device), Interface(np.zeros(64), device, stream=stream)
            for _ in range(100):
                gpu.saxpy[1](64, 1.0, x, y)
            assert y.values.tolist() == [100.0] * 64, y.values
            host = np.zeros(64)
            for _ in range(20):
                gpu.saxpy[1](64, 1.0, np.ones(64), host)
            assert host.tolist() == [20.0] * 64, host
        except BaseException as error:
            failed.append(repr(error))

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed, failed
