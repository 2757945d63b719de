"""What a launch from Python costs: a saxpy of 256 doubles, four arguments, against loops of cuLaunchKernel in C.

    python benchmarks/devices.py launch

Asynchronous: each round issues 1000 launches, and the device is waited for outside of the time. Then with a wait after
each launch, 200 a round; everyone waits through one function of the C module, which calls cuCtxSynchronize. In each
round some launches go before those that are timed: the processor has rested, and its caches are another's.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any, Final

import devices_peers as peers
from devices_modules import example, module
from devices_rounds import Contestant, Table, main, optional, race

N: Final = 256
A: Final = 0.5
CALLS: Final = 1000
WAITING_CALLS: Final = 200
WARM_CALLS: Final = 200
MORE: Final = 5  # rounds are short here, and a processor's clock goes up and down between them
C_LOOP: Final = "C: loop of cuLaunchKernel"
C_WAITING: Final = "C: loop of cuLaunchKernel and cuCtxSynchronize"
OURS_TORCH: Final = "ours: kernel[grid](...), torch"
OURS_CUPY: Final = "ours: kernel[grid](...), CuPy"
TRITON: Final = "Triton: kernel[grid](...)"
RAW: Final = "CuPy RawKernel"
EMPTY: Final = "an empty function"


class Arrays:
    """One pair of arrays on the device, as each package sees it. `wait` waits for the device."""

    def __init__(self, wait: Callable[[], object]) -> None:
        maker = importable("torch") or importable("cupy")
        if maker is None:
            raise RuntimeError("neither torch nor CuPy is installed: nobody makes arrays on the device")
        where = {"device": "cuda"} if maker.__name__ == "torch" else {}
        self.pair = tuple(maker.full((N,), value, dtype=maker.float64, **where) for value in (2.0, 1.0))
        self.addresses = tuple(each.__cuda_array_interface__["data"][0] for each in self.pair)
        self.wait = wait

    def of(self, package: str) -> tuple[Any, Any]:
        """The pair as arrays of torch or CuPy. Raises ImportError."""
        found = importlib.import_module(package)
        x, y = (found.from_dlpack(each) for each in self.pair)
        return x, y

    def check(self, call: Callable[[], object]) -> Callable[[], None]:
        """A check that one call of a saxpy does what it should."""

        def checks() -> None:
            self.pair[1][:] = 1.0
            self.wait()
            call()
            self.wait()
            if not bool((self.pair[1] == 1.0 + A * 2.0).all()):
                raise ValueError("wrong result")

        return checks


def importable(package: str) -> ModuleType | None:
    try:
        return importlib.import_module(package)
    except ImportError:
        return None


Call = tuple[str, Callable[[], object]]


def our_calls(tiles: ModuleType, arrays: Arrays, package: str, name: str) -> Iterator[Call]:
    kernel, launcher, (x, y) = tiles.saxpy, tiles.run, arrays.of(package)
    yield name, lambda: kernel[1](N, A, x, y)
    yield f"ours: launcher(...), {package}", lambda: launcher(N, A, x, y)


def our_jit_calls(arrays: Arrays) -> Iterator[Call]:
    from transpile import tile

    kernel, (x, y) = example("tiles").saxpy, arrays.pair
    yield "ours: tile.launch(...) through the JIT", lambda: tile.launch(kernel, 1, N, A, x, y)


def torch_calls(arrays: Arrays) -> Iterator[Call]:
    x, y = arrays.of("torch")
    yield "torch y.add_(x, alpha=a)", lambda: y.add_(x, alpha=A)


def cupy_calls(arrays: Arrays) -> Iterator[Call]:
    raw, (x, y) = peers.CuPy().saxpy_kernel, arrays.of("cupy")
    yield RAW, lambda: raw((1,), (256,), (N, A, x, y))


def triton_calls(arrays: Arrays) -> Iterator[Call]:
    kernel, (x, y) = peers.Triton().kernels.saxpy, arrays.of("torch")
    yield TRITON, lambda: kernel[(1,)](N, A, x, y, BLOCK=256)


def numba_calls(arrays: Arrays) -> Iterator[Call]:
    peer = peers.Numba()
    kernel, (x, y) = peer.saxpy_kernel, map(peer.cuda.as_cuda_array, arrays.pair)
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


def in_c(name: str, loop: Callable[..., object], calls: int, arrays: Arrays) -> Contestant:
    def warm() -> None:
        loop(WARM_CALLS, N, A, *arrays.addresses)
        arrays.wait()

    return Contestant(name, lambda: loop(calls, N, A, *arrays.addresses), calls, settle=arrays.wait, warm=warm)


def measure(options: argparse.Namespace) -> list[Table]:
    os.environ["TRANSPILE"] = "cuda"
    floor = module(options.modules, "floor")
    wait = floor.synchronize
    arrays = Arrays(wait)
    started = Table("Launch from Python, asynchronous", "us", C_LOOP)
    waited = Table("Launch and synchronise", "us", C_WAITING)
    sources: dict[str, Callable[[], Iterator[Call]]] = {
        "ours, torch": lambda: our_calls(module(options.modules, "tiles_ext"), arrays, "torch", OURS_TORCH),
        "ours, CuPy": lambda: our_calls(module(options.modules, "tiles_ext"), arrays, "cupy", OURS_CUPY),
        "our JIT": lambda: our_jit_calls(arrays),
        "torch": lambda: torch_calls(arrays),
        "CuPy": lambda: cupy_calls(arrays),
        "Triton": lambda: triton_calls(arrays),
        "Numba": lambda: numba_calls(arrays),
    }
    calls = [call for name, make in sources.items() for call in optional(started, name, make)]
    race(
        started,
        [
            in_c(C_LOOP, floor.loop, CALLS, arrays),
            *(started_launches(name, call, wait, check=arrays.check(call)) for name, call in calls),
        ],
        MORE * options.rounds,
    )
    race(
        waited,
        [
            in_c(C_WAITING, floor.loop_waiting, WAITING_CALLS, arrays),
            *(waited_launches(name, call, wait) for name, call in calls if started.find(name) is not None),
        ],
        MORE * options.rounds,
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
    table = Table("Our own part of a call: two arrays, two scalars, a grid of 0", "us", EMPTY)

    def empty(n: int, a: float, x: object, y: object) -> None:
        pass

    def plain(name: str, call: Callable[[], object]) -> Contestant:
        return Contestant(name, repeated(call, CALLS), CALLS, warm=repeated(call, WARM_CALLS))

    def ours(package: str) -> Iterator[Contestant]:
        kernel, (x, y) = module(options.modules, "tiles_ext").saxpy, arrays.of(package)
        nothing = kernel[0]
        yield plain(package, lambda: nothing(N, A, x, y))
        yield plain(f"{package}, kernel[grid] in it", lambda: kernel[0](N, A, x, y))

    x, y = arrays.pair
    contestants = [plain(EMPTY, lambda: empty(N, A, x, y))]
    for package in ("torch", "cupy"):
        contestants += optional(table, package, partial(ours, package))
    race(table, contestants, MORE * options.rounds)
    for package in ("torch", "cupy"):
        found = table.find(package)
        if found is not None:
            table.limit(f"a call with arrays of {package}", found.median * 1e6, 0.6, "us")
    return table


if __name__ == "__main__":
    main(measure, "What a launch from Python costs")
