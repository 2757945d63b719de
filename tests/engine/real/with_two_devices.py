"""Two devices, torch's and CuPy's arrays on either."""

from __future__ import annotations

import threading
from typing import Any

import cupy
import kernels_ext as kernels
import numpy as np
import torch

from tests.engine.expecting import refused

N = 1000
GRID = 4
WANTED = 2.0 * np.arange(N) + 1.0


def arrays(device: int) -> tuple[Any, Any]:
    where = f"cuda:{device}"
    return torch.arange(N, dtype=torch.float64, device=where), torch.ones(N, dtype=torch.float64, device=where)


def check_the_other_device_while_one_is_current() -> None:
    for current in (0, 1):
        torch.cuda.set_device(current)
        x, y = arrays(1 - current)
        kernels.saxpy[GRID](N, 2.0, x, y)
        assert (y.cpu().numpy() == WANTED).all()
        assert torch.cuda.current_device() == torch.zeros(1, device="cuda").device.index == current
    torch.cuda.set_device(0)


def check_a_side_stream_of_the_other() -> None:
    x, y = arrays(1)
    side = torch.cuda.Stream(device=1)
    torch.cuda.synchronize(1)
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        y.fill_(1.0)
        kernels.saxpy[GRID](N, 2.0, x, y)
        z = y * 2.0
    side.synchronize()
    assert (z.cpu().numpy() == 2.0 * WANTED).all()
    kernels.saxpy[GRID](N, 0.0, x, y, stream=side)
    side.synchronize()


def check_what_is_refused() -> None:
    (x, _), (_, y) = arrays(0), arrays(1)
    refused(ValueError, "arguments 'x' and 'y' are on two devices, 0 and 1", kernels.saxpy[GRID], N, 2.0, x, y)
    x, y = arrays(1)
    wrong = torch.cuda.Stream(device=0)
    text = "saxpy: the stream is one of device 0, and argument 'x' is on device 1"
    refused(ValueError, text, kernels.saxpy[GRID], N, 2.0, x, y, stream=wrong)
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    assert (y.cpu().numpy() == 1.0).all()


def check_numpy_on_the_current_one() -> None:
    for device in (1, 0):
        torch.cuda.set_device(device)
        for n in (N, 1 << 21):
            y = np.ones(n)
            kernels.saxpy[-(-n // 256)](n, 2.0, np.arange(n, dtype=float), y)
            assert (y == 2.0 * np.arange(n) + 1.0).all()
    x, _ = arrays(1)
    y = np.ones(N)
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y == WANTED).all()


def check_cupy() -> None:
    with cupy.cuda.Device(1):
        x, y = cupy.arange(N, dtype=cupy.float64), cupy.ones(N)
        cupy.cuda.Device(1).synchronize()
    kernels.saxpy[GRID](N, 2.0, x, y)
    cupy.cuda.Device(1).synchronize()
    assert (y.get() == WANTED).all()
    assert cupy.cuda.Device().id == 0


def check_a_graph_of_the_other() -> None:
    with torch.cuda.device(1):
        x, y = arrays(1)
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            kernels.twice(N, 2.0, x, y)
        y.fill_(1.0)
        graph.replay()
        torch.cuda.synchronize()
        assert (y.cpu().numpy() == 4.0 * np.arange(N) + 1.0).all()


def check_threads_on_both() -> None:
    wrong: list[str] = []

    def work(device: int) -> None:
        x, y = arrays(device)
        host = np.ones(N)
        torch.cuda.synchronize(device)
        for _ in range(100):
            kernels.saxpy[GRID](N, 2.0, x, y)
            kernels.saxpy[GRID](N, 1.0, np.arange(N, dtype=float), host)
        torch.cuda.synchronize(device)
        right = (y.cpu().numpy() == 200.0 * np.arange(N) + 1.0).all() and (host == 100.0 * np.arange(N) + 1.0).all()
        if not right:
            wrong.append(f"on {device}")

    threads = [threading.Thread(target=work, args=(number % 2,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
