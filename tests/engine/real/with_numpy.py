"""Arrays of NumPy, forks and faults: a process of its own, since the last of these ends the use of the device."""

from __future__ import annotations

from typing import Any

import kernels_ext as kernels
import numpy as np

from tests.engine.expecting import in_child, refused

N = 1000
GRID = 4
WANTED = 2.0 * np.arange(N) + 1.0


def saxpy() -> Any:
    y = np.ones(N)
    kernels.saxpy[GRID](N, 2.0, np.arange(N, dtype=float), y)
    return y


def check_a_fork_before_the_first_call() -> None:
    def use() -> None:
        assert (saxpy() == WANTED).all()

    assert in_child(use) == "nothing"


def check_they_go_and_come_back() -> None:
    assert (saxpy() == WANTED).all()
    held = np.zeros(12)
    kernels.shift[11](11, held, held[1:])
    assert held[0] == 0.0
    n = (1 << 22) + 5
    y = np.ones(n)
    kernels.saxpy[-(-n // 256)](n, 2.0, np.arange(n, dtype=float), y)
    assert (y == 2.0 * np.arange(n) + 1.0).all()


def check_a_fork_after_it() -> None:
    assert in_child(saxpy).startswith("RuntimeError: saxpy: a device cannot be used in a child of fork()")
    assert (saxpy() == WANTED).all()


def check_a_fault() -> None:
    text = "wild: the kernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); arrays that"
    refused(RuntimeError, text, kernels.wild[1], 1 << 44, np.ones(4))
    refused(RuntimeError, "this process cannot use the device any more", saxpy)
