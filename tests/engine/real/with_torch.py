"""torch's tensors, streams and graphs."""

from __future__ import annotations

import threading
import time
from typing import Any

import kernels_ext as kernels
import numpy as np
import torch

from tests.engine.expecting import refused

N = 1000
GRID = 4
SLEEP = 200_000_000  # cycles: a tenth of a second
WANTED = 2.0 * np.arange(N) + 1.0


def arrays(device: str = "cuda") -> tuple[Any, Any]:
    return torch.arange(N, dtype=torch.float64, device=device), torch.ones(N, dtype=torch.float64, device=device)


def check_on_the_default_stream() -> None:
    x, y = arrays()
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.cpu().numpy() == WANTED).all()
    kernels.twice(N, 2.0, x, y)
    assert (y.cpu().numpy() == WANTED + 4.0 * np.arange(N)).all()


def check_on_a_side_stream() -> None:
    x, y = arrays()
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(SLEEP)
        y.fill_(1.0)
        kernels.saxpy[GRID](N, 2.0, x, y)
        z = y * 2.0
    side.synchronize()
    assert (z.cpu().numpy() == 2.0 * WANTED).all()


def check_nothing_waits() -> None:
    x, y = arrays()
    kernels.saxpy[GRID](N, 0.0, x, y)
    torch.cuda.synchronize()
    torch.cuda._sleep(2 * SLEEP)
    before = time.perf_counter()
    kernels.saxpy[GRID](N, 2.0, x, y)
    queued = time.perf_counter() - before
    torch.cuda.synchronize()
    done = time.perf_counter() - before
    assert queued < done / 4, (queued, done)


def check_streams_by_argument() -> None:
    side = torch.cuda.Stream()
    for stream in (side, side.cuda_stream, torch.cuda.current_stream(), 0, 1, None):
        x, y = arrays()
        torch.cuda.synchronize()
        kernels.saxpy[GRID](N, 2.0, x, y, stream=stream)
        torch.cuda.synchronize()
        assert (y.cpu().numpy() == WANTED).all()


def check_the_first_call_of_a_kernel_may_be_captured() -> None:
    x, y = torch.ones(4, dtype=torch.float64, device="cuda"), torch.zeros(4, dtype=torch.float64, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernels.shift[4](4, x, y)
    graph.replay()
    assert y.tolist() == [2.0] * 4


def check_a_graph_of_several() -> None:
    x, y = arrays()
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        kernels.saxpy[GRID](N, 2.0, x, y)
        kernels.twice(N, 2.0, x, y)
    y.fill_(1.0)
    graph.replay()
    assert (y.cpu().numpy() == 6.0 * np.arange(N) + 1.0).all()
    host = np.ones(N)

    def capture() -> None:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            kernels.saxpy[GRID](N, 2.0, x, host)

    refused(ValueError, "argument 'y' is a host array, which a graph cannot capture", capture)
    assert (host == 1.0).all()


def check_what_is_refused() -> None:
    x, y = arrays()
    refused(TypeError, "float64, not of float32", kernels.saxpy[GRID], N, 2.0, x.float(), y)
    refused(ValueError, "not C-contiguous; pass x.contiguous()", kernels.saxpy[1], 4, 2.0, x[::2], y)
    refused(ValueError, "overlap in memory", kernels.saxpy[1], 4, 2.0, y, y[1:])
    refused(ValueError, "in host memory, and 'y' on device 0", kernels.saxpy[1], 4, 2.0, x.cpu(), y)


def check_pinned_tensors() -> None:
    x, y = (each.pin_memory() for each in arrays("cpu"))
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.numpy() == WANTED).all()
    y.fill_(1.0)
    kernels.saxpy[GRID](N, 2.0, x.cuda(), y.numpy())
    assert (y.numpy() == WANTED).all()


def check_host_tensors() -> None:
    x, y = arrays("cpu")
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.numpy() == WANTED).all()


def check_several_threads() -> None:
    wrong: list[str] = []

    def work() -> None:
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            x, y = arrays()
            for _ in range(200):
                kernels.saxpy[GRID](N, 2.0, x, y)
            side.synchronize()
            if not (y.cpu().numpy() == 400.0 * np.arange(N) + 1.0).all():
                wrong.append(threading.current_thread().name)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def check_tensors_that_are_dropped_at_once() -> None:
    n = 1 << 22
    x = torch.ones(n, dtype=torch.float64, device="cuda")
    for number in range(40):
        y = torch.full((n,), float(number), dtype=torch.float64, device="cuda")
        kernels.saxpy[n // 256](n, 1.0, x, y)
        assert number % 10 != 0 or y[-1].item() == number + 1.0


def fill_device(held: list[torch.Tensor]) -> None:
    """Takes what memory there is, but for less than 64 MiB."""
    size = 1 << 34
    while size >= 1 << 26:
        try:
            held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            size //= 2


def check_the_device_is_full() -> None:
    y, held = np.ones(1 << 29), list[torch.Tensor]()
    for _ in range(10):  # other processes may give memory back while this one fills it
        fill_device(held)
        try:
            kernels.saxpy[1](1, 2.0, y, np.ones(4))
        except MemoryError as error:
            said = str(error)
            break
    assert "saxpy: the device has too little memory" in said
    held.clear()
    torch.cuda.empty_cache()
    kernels.saxpy[1](4, 2.0, np.ones(4), y[:4])
    assert y[0] == 3.0


def check_halves() -> None:
    x = torch.linspace(-8, 8, 256, device="cuda").to(torch.float16)
    y = torch.zeros(256, dtype=torch.bfloat16, device="cuda")
    kernels.halves[1](0.5, x, y)
    assert torch.equal(y, (x.float() + 0.5).to(torch.bfloat16))
    host = torch.zeros(256, dtype=torch.bfloat16)
    kernels.halves[1](0.5, x.cpu(), host)
    assert torch.equal(host, y.cpu())
    refused(
        TypeError, "argument 'y' must be an array of bfloat16, not of float16", kernels.halves[1], 0.5, x, x.clone()
    )


def check_eights() -> None:
    bits = torch.arange(256, dtype=torch.uint8, device="cuda")
    x = torch.nan_to_num(bits.view(torch.float8_e4m3fn).float()).to(torch.float8_e4m3fn)
    y = torch.zeros(256, dtype=torch.float8_e5m2, device="cuda")
    kernels.eights[1](x, y)
    assert torch.equal(y.float(), (x.float() * 2.0).to(torch.float8_e5m2).float())
    bytes_of_y = torch.zeros(256, dtype=torch.uint8, device="cuda")
    kernels.eights[1](x, bytes_of_y)
    assert torch.equal(bytes_of_y, y.view(torch.uint8))


def check_unsigned_integers() -> None:
    x = torch.arange(65280, 65536, dtype=torch.int32, device="cuda").to(torch.uint16)
    y = torch.zeros(256, dtype=torch.uint32, device="cuda")
    z = torch.zeros(256, dtype=torch.uint64, device="cuda")
    kernels.naturals[1](x, y, z)
    wanted = np.arange(65280, 65536, dtype=np.uint32) * np.uint32(65537)
    assert (y.cpu().numpy() == wanted).all()
    assert (z.cpu().numpy() == wanted.astype(np.uint64) * np.uint64(4294967297)).all()
