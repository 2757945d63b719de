"""The seeds' kernels over 2^24 doubles on the device, against PPy: launch and synchronise, and time on the device.

    python benchmarks/devices.py seeds

PPy times itself (programs/seeds.ppy: each launch waits, the wall clock around it); ours is timed the same way, with
CuPy's arrays. Rounds alternate, and a round's figure is the median of its launches. Device times are of the same PTX
that PPy launches, by events around 20 launches that were queued behind a busy stream, over two sets of arrays in turn.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import devices_ppy as ppy
from devices_modules import ROOT, module, run
from devices_rounds import Contestant, Series, Table, brief, main, race

A: Final = 2.0
WARM: Final = 3
REPEATS: Final = 15
BATCH: Final = 20
BUSY_CYCLES: Final = 2_000_000
PPY_PROGRAM: Final = ROOT / "benchmarks" / "programs" / "seeds.ppy"
HOST_REPEATS: Final = 3
KERNELS: Final = ("saxpy", "block_max", "row_stats", "thread_saxpy", "thread_block_max")
HOST_KERNELS: Final = ("saxpy_host", "block_max_host")


@dataclass(frozen=True, slots=True)
class Arrays:
    n: int
    x: Any
    y: Any
    out: Any

    @staticmethod
    def make(n: int) -> Arrays:
        import cupy

        return Arrays(n, cupy.arange(n, dtype=cupy.float64) * 37 % 101, cupy.ones(n), cupy.zeros(n // 32))


def our_launches(folder: str | None, arrays: Arrays) -> dict[str, Callable[[], object]]:
    tiles, threads = module(folder, "tiles_ext"), module(folder, "saxpy_ext")
    n, x, y, out = arrays.n, arrays.x, arrays.y, arrays.out
    return {
        "saxpy": lambda: tiles.saxpy[n // 256](n, A, x, y),
        "block_max": lambda: tiles.block_max[n // 64](x, out),
        "row_stats": lambda: tiles.row_stats[n // 1024](n, x, out),
        "thread_saxpy": lambda: threads.saxpy[n // 256, 256](n, A, x, y),
        "thread_block_max": lambda: threads.block_max[n // 64, 64](x, out),
    }


def check_ours(arrays: Arrays, launches: dict[str, Callable[[], object]]) -> None:
    """Raises ValueError where a kernel's result is wrong."""
    import cupy

    x, y, out, n = arrays.x, arrays.y, arrays.out, arrays.n
    rows = x.reshape(-1, 1024)
    launches["saxpy"]()
    launches["thread_saxpy"]()
    good = cupy.allclose(y, 2 * A * x + 1.0)
    for name in ("block_max", "thread_block_max"):
        out.fill(cupy.nan)
        launches[name]()
        good = good and (name != "block_max" or cupy.array_equal(out[: n // 64], x.reshape(-1, 64).max(1)))
        good = good and bool((out[: n // 64] <= 100.0).all())
    launches["row_stats"]()
    stats = out[: n // 512].reshape(-1, 2)
    good = good and cupy.allclose(stats[:, 0], rows.mean(1)) and cupy.allclose(stats[:, 1], rows.var(1))
    if not good:
        raise ValueError("wrong result")


def host_launches(folder: str | None, n: int) -> dict[str, Callable[[], object]]:
    import numpy as np

    tiles = module(folder, "tiles_ext")
    x, y, out = np.ones(n), np.ones(n), np.ones(n // 64)
    return {
        "saxpy_host": lambda: tiles.saxpy[n // 256](n, A, x, y),
        "block_max_host": lambda: tiles.block_max[n // 64](x, out),
    }


def our_round(launches: dict[str, Callable[[], object]], wait: Callable[[], object]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in launches}
    for names, repeats in ((KERNELS, REPEATS), (HOST_KERNELS, HOST_REPEATS)):
        for repeat in range(WARM + repeats):
            for name in names:
                started = time.perf_counter()
                launches[name]()
                wait()
                if repeat >= WARM:
                    taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def ppy_round(path: Path) -> dict[str, float]:
    """Runs PPy's program and reads its figures. Raises RuntimeError where it ran without the device."""
    lines = run(ppy.command("run", path), ppy.environment()).splitlines()
    if "compiled True" not in lines:
        raise RuntimeError("PPy did not compile its kernels for the device")
    taken: dict[str, list[float]] = {name: [] for name in (*KERNELS, *HOST_KERNELS)}
    for line in lines:
        name, _, seconds = line.partition(" ")
        if name in taken:
            taken[name].append(float(seconds))
    return {name: statistics.median(seconds[WARM:]) for name, seconds in taken.items()}


def waited(options: argparse.Namespace, folder: Path) -> list[Table]:
    """On the device, and with host arrays in and out."""
    table = Table(f"The seeds' kernels, 2^{options.log2} doubles on the device: launch and synchronise", "us", "")
    host = Table(f"The seeds' kernels, 2^{options.log2} doubles on the host: in and out per launch", "ms", "")
    rounds: list[tuple[str, Callable[[], dict[str, float]]]] = []
    try:
        arrays = Arrays.make(1 << options.log2)
        launches, wait = our_launches(options.modules, arrays), module(options.modules, "floor").synchronize
        check_ours(arrays, launches)
        launches |= host_launches(options.modules, arrays.n)
        rounds.append(("ours", lambda: our_round(launches, wait)))
    except Exception as error:
        table.notes.append(f"ours: not measured: {brief(error)}")
    try:
        path = folder / "seeds.ppy"
        path.write_text(PPY_PROGRAM.read_text("utf-8").replace("N = 1 << 24", f"N = 1 << {options.log2}"), "utf-8")
        ppy_round(path)  # fills its cache
        rounds.append(("PPy", lambda: ppy_round(path)))
    except Exception as error:
        table.notes.append(f"PPy: not measured: {brief(error)}")
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(options.rounds):
        for who, measured in rounds:
            for name, taken in measured().items():
                found.setdefault((name, who), []).append(taken)
    for (name, who), seconds in sorted(found.items()):
        (table if name in KERNELS else host).series.append(Series(f"{name}: {who}", tuple(seconds)))
    for name in KERNELS:
        table.compare(f"{name}, against PPy", f"{name}: ours", f"{name}: PPy", 1.0)
    for name in HOST_KERNELS:
        host.compare(f"{name}: PPy is slower", f"{name}: ours", f"{name}: PPy", 3.8, slower=True)
    return [table, host]


# ---------------------------------------------------------------- on the device alone


def ppy_launches(folder: Path, arrays: Arrays) -> Iterator[tuple[str, Callable[[], object]]]:
    """PPy's own PTX, loaded and launched by CuPy with the blocks that PPy gives its kernels."""
    import cupy

    path = folder / "seeds.ptx"
    path.write_text(run(ppy.command("emit", "ptx", folder / "seeds.ppy"), ppy.environment()), "utf-8")
    loaded = cupy.RawModule(path=str(path))
    n, x, y, out = arrays.n, arrays.x, arrays.y, arrays.out
    calls = {
        "saxpy": (n // 256, 256, (n, A, x, y)),
        "block_max": (n // 64, 64, (x, out)),
        "row_stats": (n // 1024, 256, (n, x, out)),
        "thread_saxpy": (n // 256, 256, (n, A, x, y)),
        "thread_block_max": (n // 64, 64, (x, out)),
    }
    for name, (grid, block, values) in calls.items():
        kernel = loaded.get_function(f"ppy_seeds_{name}")
        yield name, partial(kernel, (grid,), (block,), values)


def batch(calls: list[Callable[[], object]]) -> Callable[[], float]:
    """Seconds that a launch takes on the device: the stream is busy while the launches are queued."""

    def run_batch() -> float:
        import cupy
        import torch

        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        torch.cuda._sleep(BUSY_CYCLES)
        begin.record()
        for repeat in range(BATCH):
            calls[repeat % len(calls)]()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(begin, end)) / 1e3

    return run_batch


def on_device(options: argparse.Namespace, folder: Path) -> Table:
    table = Table(f"The seeds' kernels, 2^{options.log2} doubles: time on the device", "us", "")
    contestants: list[Contestant] = []

    def add(who: str, make: Callable[[Arrays], dict[str, Callable[[], object]]]) -> None:
        try:
            made = [make(Arrays.make(1 << options.log2)) for _ in range(2)]
        except Exception as error:
            table.notes.append(f"{who}: not measured: {brief(error)}")
            return
        contestants.extend(Contestant(f"{name}: {who}", batch([m[name] for m in made]), BATCH) for name in KERNELS)

    add("ours", lambda arrays: our_launches(options.modules, arrays))
    add("PPy's PTX", lambda arrays: dict(ppy_launches(folder, arrays)))
    race(table, contestants, options.rounds)
    for name in KERNELS:
        ours, theirs = table.find(f"{name}: ours"), table.find(f"{name}: PPy's PTX")
        if ours is not None and theirs is not None:
            table.notes.append(f"{name}: ours takes {ours.median / theirs.median:.3f} of the time of PPy's PTX")
    return table


def measure(options: argparse.Namespace) -> list[Table]:
    with tempfile.TemporaryDirectory() as name:
        return [*waited(options, Path(name)), on_device(options, Path(name))]


if __name__ == "__main__":
    main(measure, "The seeds' kernels against PPy")
