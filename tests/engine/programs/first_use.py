"""The driver is loaded by the first call that needs it: after one that failed, in a fork, by several threads at once.

In this order: after the last of these it is loaded.
"""

from __future__ import annotations

import threading

import gpu_ext as gpu
import numpy as np

from tests.engine.arrays import calls, driver
from tests.engine.expecting import in_child, refused

NO_DEVICE, NOT_INITIALIZED, UNKNOWN = 100, 3, 999


def use() -> None:
    y = np.ones(4)
    gpu.saxpy[1](4, 2.0, np.arange(4.0), y)
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0]


def check_importing_touches_no_driver() -> None:
    assert calls("cuInit") == 0
    refused(TypeError, "saxpy: a kernel needs its grid", gpu.saxpy, 4, 2.0, np.ones(4), np.ones(4))
    assert calls("cuInit") == 0


def check_a_driver_that_does_not_start() -> None:
    for code, text in (
        (NO_DEVICE, "saxpy: the NVIDIA driver sees no device (CUDA_VISIBLE_DEVICES may hide them"),
        (
            NOT_INITIALIZED,
            "saxpy: the driver does not start in this process: it was forked from one that used a device",
        ),
        (UNKNOWN, "saxpy: the driver failed: error 999"),
    ):
        driver.fake_fail(b"cuInit", 1, code)
        refused(RuntimeError, text, use)
    driver.fake_fail(b"cuDeviceGetCount", 1, NO_DEVICE)
    refused(RuntimeError, "sees no device", use)


def check_a_fork_may_be_the_first() -> None:
    assert in_child(use) == "nothing"


def check_threads_that_come_first_together() -> None:
    failed: list[BaseException] = []
    together = threading.Barrier(6)

    def work() -> None:
        try:
            together.wait()
            use()
        except BaseException as error:
            failed.append(error)

    driver.fake_forget_calls()
    threads = [threading.Thread(target=work) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed, failed
    assert calls("cuInit") == calls("cuDevicePrimaryCtxRetain") == 1


def check_a_fork_after_it_is_told_so() -> None:
    assert "a device cannot be used in a child of fork()" in in_child(use)
    use()
