"""NumPy arrays in and out of each launch: 2^24 doubles, a saxpy and a maximum of each 64, wall clock.

    python benchmarks/devices.py arrays

Against hand-written C++ that stages through pinned buffers (native/staged.cu, several settings; its best counts), and
against the peers as their users write it. Pinned arrays, which are used where they lie, are in tables of their own.
"""

from __future__ import annotations

import argparse
import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Final

import devices_peers as peers
import numpy as np
from devices_modules import module, staged_library
from devices_rounds import Contestant, Table, brief, main, optional, race

A: Final = 0.5
OURS: Final = "ours"
# Threads, KiB of a chunk, stores past the caches on the way out.
SETTINGS: Final = ((8, 2048, 0), (8, 1024, 1), (12, 1024, 0), (12, 1024, 1), (12, 512, 1), (16, 512, 1))
Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Work:
    """The arrays on the host, and how a result is checked."""

    n: int
    x: Array
    y: Array
    first_y: Array
    out: Array

    @staticmethod
    def make(n: int) -> Work:
        random = np.random.default_rng(7)
        x, y = random.standard_normal(n), random.standard_normal(n)
        return Work(n, x, y, y.copy(), np.empty(n // 64))

    def moved(self, n: int, place: Callable[[int], Array]) -> Work:
        """The same work with its arrays elsewhere."""
        made = Work(n, place(n), place(n), self.first_y, place(n // 64))
        made.x[:], made.y[:] = self.x, self.first_y
        return made

    def checks_saxpy(self, call: Callable[[], object]) -> Callable[[], None]:
        def check() -> None:
            self.y[:] = self.first_y
            call()
            if not np.allclose(self.y, A * self.x + self.first_y, rtol=1e-12, atol=1e-14):
                raise ValueError("wrong result")

        return check

    def checks_block_max(self, call: Callable[[], object]) -> Callable[[], None]:
        def check() -> None:
            self.out[:] = np.nan
            call()
            if not np.array_equal(self.out, self.x.reshape(-1, 64).max(1)):
                raise ValueError("wrong result")

        return check


Calls = Iterator[tuple[str, Callable[[], object] | None, Callable[[], object] | None]]  # name, saxpy, block max


def ours(tiles: ModuleType, work: Work) -> Calls:
    n, x, y, out = work.n, work.x, work.y, work.out
    yield OURS, lambda: tiles.saxpy[n // 256](n, A, x, y), lambda: tiles.block_max[n // 64](x, out)


def address(array: Array) -> int:
    return int(array.ctypes.data)


def checked(code: int) -> None:
    if code != 0:
        raise RuntimeError("the driver refused")


def staged(library: ctypes.CDLL, work: Work) -> Calls:
    n, x, y, out = work.n, address(work.x), address(work.y), address(work.out)

    def saxpy(pool: int) -> None:
        checked(library.staged_saxpy(pool, n, A, x, y))

    def block_max(pool: int) -> None:
        checked(library.staged_block_max(pool, n, x, out))

    for threads, kib, past in SETTINGS:
        pool = library.staged_pool(threads, kib << 10, past)
        if pool is None:
            raise RuntimeError("no pinned memory")
        yield setting_name(threads, kib, past), partial(saxpy, pool), partial(block_max, pool)


def setting_name(threads: int, kib: int, past: int) -> str:
    return f"C++ staged: {threads} threads, {kib} KiB" + (", streaming stores" if past else "")


STAGED: Final = tuple(setting_name(*each) for each in SETTINGS)


def in_place(library: ctypes.CDLL, work: Work) -> Calls:
    n, x, y, out = work.n, address(work.x), address(work.y), address(work.out)
    yield (
        "C++: the kernel over pinned memory",
        lambda: checked(library.in_place_saxpy(n, A, x, y)),
        lambda: checked(library.in_place_block_max(n, x, out)),
    )


def in_torch(work: Work) -> Calls:
    import torch

    x, y, out = torch.from_numpy(work.x), torch.from_numpy(work.y), torch.from_numpy(work.out)
    yield (
        "torch: .cuda(), add_, copy_",
        lambda: y.copy_(y.cuda().add_(x.cuda(), alpha=A)),
        lambda: out.copy_(x.cuda().view(-1, 64).amax(1)),
    )


def in_cupy(work: Work) -> Calls:
    peer = peers.CuPy()
    cupy, n, x, y, out = peer.cupy, work.n, work.x, work.y, work.out

    def saxpy() -> None:
        on_device = cupy.asarray(y)
        peer.saxpy(n, A, cupy.asarray(x), on_device)
        on_device.get(out=y)

    def block_max() -> None:
        on_device = cupy.empty(n // 64)
        peer.block_max(cupy.asarray(x), on_device)
        on_device.get(out=out)

    yield "CuPy: asarray, RawKernel, get", saxpy, block_max


def in_triton(work: Work) -> Calls:
    import torch

    peer, n = peers.Triton(), work.n
    x, y, out = torch.from_numpy(work.x), torch.from_numpy(work.y), torch.from_numpy(work.out)

    def saxpy() -> None:
        on_device = y.cuda()
        peer.saxpy(n, A, x.cuda(), on_device)
        y.copy_(on_device)

    def block_max() -> None:
        on_device = torch.empty(n // 64, device="cuda", dtype=torch.float64)
        peer.block_max(x.cuda(), on_device)
        out.copy_(on_device)

    yield "Triton: over torch's .cuda(), copy_", saxpy, block_max


def in_numba(work: Work) -> Calls:
    peer, n, x, y, out = peers.Numba(), work.n, work.x, work.y, work.out
    cuda = peer.cuda

    def saxpy() -> None:
        on_device = cuda.to_device(y)
        peer.saxpy(n, A, cuda.to_device(x), on_device)
        on_device.copy_to_host(y)

    def block_max() -> None:
        on_device = cuda.device_array(n // 64, np.float64)
        peer.block_max(cuda.to_device(x), on_device)
        on_device.copy_to_host(out)

    yield "Numba: to_device, kernel, copy_to_host", saxpy, block_max


PEERS: Final = (
    "torch: .cuda(), add_, copy_",
    "CuPy: asarray, RawKernel, get",
    "Triton: over torch's .cuda(), copy_",
    "Numba: to_device, kernel, copy_to_host",
)


def tables(title: str, work: Work, sources: dict[str, Callable[[], Calls]], rounds: int) -> tuple[Table, Table]:
    saxpy = Table(f"{title}: saxpy, {work.n} doubles", "ms", OURS)
    block_max = Table(f"{title}: block max, {work.n} doubles", "ms", OURS)
    found = [each for name, make in sources.items() for each in optional(saxpy, name, make)]
    race(saxpy, [Contestant(name, call, check=work.checks_saxpy(call)) for name, call, _ in found if call], rounds)
    race(
        block_max,
        [Contestant(name, call, check=work.checks_block_max(call)) for name, _, call in found if call],
        rounds,
    )
    return saxpy, block_max


def pinned_arrays(library: ctypes.CDLL) -> Callable[[int], Array]:
    def place(n: int) -> Array:
        at = library.pinned(n * 8)
        if at is None:
            raise RuntimeError("no pinned memory")
        return np.ctypeslib.as_array((ctypes.c_double * n).from_address(at))

    return place


def measure(options: argparse.Namespace) -> list[Table]:
    n = 1 << options.log2
    work = Work.make(n)
    sources: dict[str, Callable[[], Calls]] = {
        "ours": lambda: ours(module(options.modules, "tiles_ext"), work),
        "C++ staged": lambda: staged(staged_library(options.modules), work),
        "torch": lambda: in_torch(work),
        "CuPy": lambda: in_cupy(work),
        "Triton": lambda: in_triton(work),
        "Numba": lambda: in_numba(work),
    }
    made = tables("NumPy arrays in and out", work, sources, options.rounds)
    for table in made:
        table.compare("against the best setting of the staged C++", OURS, STAGED, 1.3)
        for peer in PEERS:
            table.compare(f"{peer.partition(':')[0]} is slower", OURS, peer, 3.8, slower=True)
    return [*made, *pinned_tables(options, work)]


def pinned_tables(options: argparse.Namespace, work: Work) -> list[Table]:
    try:
        library = staged_library(options.modules)
        held = work.moved(work.n, pinned_arrays(library))
    except (OSError, RuntimeError) as error:
        return [Table("Pinned arrays, used where they lie", "ms", OURS, notes=[f"not measured: {brief(error)}"])]
    sources: dict[str, Callable[[], Calls]] = {
        "ours": lambda: ours(module(options.modules, "tiles_ext"), held),
        "C++": lambda: in_place(library, held),
    }
    return list(tables("Pinned arrays, used where they lie", held, sources, options.rounds))


if __name__ == "__main__":
    main(measure, "NumPy arrays in and out of each launch")
