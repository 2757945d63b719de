"""Arrays of Numba: of the device, managed, pinned and mapped."""

from __future__ import annotations

import threading

import kernels_ext as kernels
import numpy as np
from numba import cuda

N = 1000
GRID = 4
WANTED = 2.0 * np.arange(N) + 1.0


def check_arrays_of_the_device() -> None:
    x, y = cuda.to_device(np.arange(N, dtype=float)), cuda.to_device(np.ones(N))
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.copy_to_host() == WANTED).all()


def check_their_stream() -> None:
    x, stream = cuda.to_device(np.arange(N, dtype=float)), cuda.stream()
    y = cuda.to_device(np.ones(N), stream=stream)
    kernels.saxpy[GRID](N, 2.0, x, y)
    stream.synchronize()
    assert (y.copy_to_host() == WANTED).all()


def check_memory_that_both_reach() -> None:
    x = cuda.to_device(np.arange(N, dtype=float))
    for make in (cuda.managed_array, cuda.pinned_array, cuda.mapped_array):
        y = make(N, float)
        y[:] = 1.0
        kernels.saxpy[GRID](N, 2.0, x, y)
        cuda.synchronize()
        assert (np.asarray(y) == WANTED).all(), make


def check_several_threads() -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        stream = cuda.stream()
        x, y = (cuda.to_device(values, stream=stream) for values in (np.arange(N, dtype=float), np.ones(N)))
        for _ in range(200):
            kernels.saxpy[GRID](N, float(number), x, y, stream=stream.handle.value)
        if not (y.copy_to_host(stream=stream) == 200.0 * number * np.arange(N) + 1.0).all():
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
