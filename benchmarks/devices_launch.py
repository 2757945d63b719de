"""What a launch from Python costs: a saxpy of 256 doubles, four arguments, against loops of cuLaunchKernel in C.

    python benchmarks/devices.py launch

Asynchronous: each round issues 1000 launches, and the device is waited for outside of the time. Then with a wait after
each launch, 200 a round; everyone waits through one function of the C module, which calls cuCtxSynchronize. In each
round some launches go before those that are timed: the processor has rested, and its caches are another's.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

import devices_peers as peers
from devices_modules import example, module
from devices_rounds import Contestant, Table, brief, main, optional, race

N: Final = 256
A: Final = 0.5
CALLS: Final = 1000
WAITING_CALLS: Final = 200
WARM_CALLS: Final = 200
C_LOOP: Final = "C: loop of cuLaunchKernel"
C_WAITING: Final = "C: loop of cuLaunchKernel and cuCtxSynchronize"
OURS_TORCH: Final = "ours: kernel[grid](...), torch"
OURS_CUPY: Final = "ours: kernel[grid](...), CuPy"
TRITON: Final = "Triton: kernel[grid](...)"
RAW: Final = "CuPy RawKernel"


class Arrays:
    """One pair of arrays on the device, as each package sees it."""

    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.x = torch.full((N,), 2.0, device="cuda", dtype=torch.float64)
        self.y = torch.full((N,), 1.0, device="cuda", dtype=torch.float64)
        self.addresses = self.x.data_ptr(), self.y.data_ptr()

    def check(self, call: Callable[[], object]) -> Callable[[], None]:
        """A check that one call of a saxpy does what it should."""

        def checks() -> None:
            self.y.fill_(1.0)
            self.torch.cuda.synchronize()
            call()
            self.torch.cuda.synchronize()
            if not bool((self.y == 1.0 + A * 2.0).all()):
                raise ValueError("wrong result")

        return checks


Call = tuple[str, Callable[[], object]]


def our_calls(tiles: ModuleType, arrays: Arrays) -> Iterator[Call]:
    import cupy

    kernel, launcher, x, y = tiles.saxpy, tiles.run, arrays.x, arrays.y
    cx, cy = cupy.from_dlpack(x), cupy.from_dlpack(y)
    yield OURS_TORCH, lambda: kernel[1](N, A, x, y)
    yield OURS_CUPY, lambda: kernel[1](N, A, cx, cy)
    yield "ours: launcher(...), torch", lambda: launcher(N, A, x, y)
    yield "ours: launcher(...), CuPy", lambda: launcher(N, A, cx, cy)


def our_jit_calls(arrays: Arrays) -> Iterator[Call]:
    from transpile import tile

    kernel, x, y = example("tiles").saxpy, arrays.x, arrays.y
    yield "ours: tile.launch(...) through the JIT, torch", lambda: tile.launch(kernel, 1, N, A, x, y)


def torch_calls(arrays: Arrays) -> Iterator[Call]:
    x, y = arrays.x, arrays.y
    yield "torch y.add_(x, alpha=a)", lambda: y.add_(x, alpha=A)


def cupy_calls(arrays: Arrays) -> Iterator[Call]:
    import cupy

    raw = peers.CuPy().saxpy_kernel
    x, y = cupy.from_dlpack(arrays.x), cupy.from_dlpack(arrays.y)
    yield RAW, lambda: raw((1,), (256,), (N, A, x, y))


def triton_calls(arrays: Arrays) -> Iterator[Call]:
    kernel, x, y = peers.Triton().kernels.saxpy, arrays.x, arrays.y
    yield TRITON, lambda: kernel[(1,)](N, A, x, y, BLOCK=256)


def numba_calls(arrays: Arrays) -> Iterator[Call]:
    peer = peers.Numba()
    kernel = peer.saxpy_kernel
    x, y = peer.cuda.as_cuda_array(arrays.x), peer.cuda.as_cuda_array(arrays.y)
    yield "Numba: kernel[grid, block](...)", lambda: kernel[1, 256](N, A, x, y)


def repeated(call: Callable[[], object], calls: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(calls):
            call()

    return run


def waiting(call: Callable[[], object], calls: int, wait: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(calls):
            call()
            wait()

    return run


def started_launches(name: str, call: Callable[[], object], wait: Callable[[], object], **more: Any) -> Contestant:
    def warm() -> None:
        repeated(call, WARM_CALLS)()
        wait()

    return Contestant(name, repeated(call, CALLS), CALLS, settle=wait, warm=warm, **more)


def waited_launches(name: str, call: Callable[[], object], wait: Callable[[], object]) -> Contestant:
    run = waiting(call, WAITING_CALLS, wait)
    return Contestant(name, run, WAITING_CALLS, warm=waiting(call, WARM_CALLS, wait))


def in_c(name: str, loop: Callable[..., object], calls: int, arrays: Arrays, wait: Callable[[], object]) -> Contestant:
    def warm() -> None:
        loop(WARM_CALLS, N, A, *arrays.addresses)
        wait()

    return Contestant(name, lambda: loop(calls, N, A, *arrays.addresses), calls, settle=wait, warm=warm)


def measure(options: argparse.Namespace) -> list[Table]:
    os.environ["TRANSPILE"] = "cuda"
    floor = module(options.modules, "floor")
    arrays = Arrays()
    started = Table("Launch from Python, asynchronous", "us", C_LOOP)
    waited = Table("Launch and synchronise", "us", C_WAITING)
    calls: list[Call] = []
    sources: list[tuple[str, Callable[[], Any]]] = [
        ("ours", lambda: our_calls(module(options.modules, "tiles_ext"), arrays)),
        ("our JIT", lambda: our_jit_calls(arrays)),
        ("torch", lambda: torch_calls(arrays)),
        ("CuPy", lambda: cupy_calls(arrays)),
        ("Triton", lambda: triton_calls(arrays)),
        ("Numba", lambda: numba_calls(arrays)),
    ]
    for name, make in sources:
        calls += optional(started, name, make)
    wait = floor.synchronize
    race(
        started,
        [
            in_c(C_LOOP, floor.loop, CALLS, arrays, wait),
            *(started_launches(name, call, wait, check=arrays.check(call)) for name, call in calls),
        ],
        options.rounds,
    )
    alive = [(name, call) for name, call in calls if started.find(name) is not None]
    race(
        waited,
        [
            in_c(C_WAITING, floor.loop_waiting, WAITING_CALLS, arrays, wait),
            *(waited_launches(name, call, wait) for name, call in alive),
        ],
        options.rounds,
    )
    decide(started, waited)
    return [started, own_part(options, arrays), waited]


def decide(started: Table, waited: Table) -> None:
    for ours in (OURS_TORCH, OURS_CUPY):
        started.compare(f"{ours}: best round against C's", ours, C_LOOP, 1.3, by="best")
        started.compare(f"{ours}: faster than CuPy's RawKernel", ours, RAW, 1.0, slower=True)
        started.compare(f"{ours}: Triton is slower", ours, TRITON, 2.5, slower=True)
        waited.compare(f"{ours} and synchronise, against C", ours, C_WAITING, 1.15)


def own_part(options: argparse.Namespace, arrays: Arrays) -> Table:
    """Our own part of a call: an empty grid is checked like any other, and nothing reaches the driver."""
    table = Table("Our own part of a call: two arrays, two scalars, a grid of 0", "us", "an empty function")
    try:
        import cupy

        kernel = module(options.modules, "tiles_ext").saxpy
    except ImportError as error:
        table.notes.append(f"not measured: {brief(error)}")
        return table
    x, y = arrays.x, arrays.y
    cx, cy = cupy.from_dlpack(x), cupy.from_dlpack(y)
    nothing = kernel[0]

    def empty(n: int, a: float, x: object, y: object) -> None:
        pass

    def plain(name: str, call: Callable[[], object]) -> Contestant:
        return Contestant(name, repeated(call, CALLS), CALLS, warm=repeated(call, WARM_CALLS))

    race(
        table,
        [
            plain("an empty function", lambda: empty(N, A, x, y)),
            plain("torch", lambda: nothing(N, A, x, y)),
            plain("CuPy", lambda: nothing(N, A, cx, cy)),
            plain("torch, with kernel[grid]", lambda: kernel[0](N, A, x, y)),
        ],
        options.rounds,
    )
    for name in ("torch", "CuPy"):
        found = table.find(name)
        if found is not None:
            table.limit(f"a call with {name} arrays", found.median * 1e6, 0.6, "us")
    return table


if __name__ == "__main__":
    main(measure, "What a launch from Python costs")
