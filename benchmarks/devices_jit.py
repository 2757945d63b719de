"""The JIT with an empty cache: the first launch of a kernel, against NVRTC alone.

    python benchmarks/devices.py jit

Each round imports a file with one kernel that nobody has compiled before, and times its first launch, the wait for its
result included. The process has compiled another kernel before, so that nobody's libraries are loaded in the time; what
the first launch of a process costs is in the notes. NVRTC alone compiles the text that the JIT gave it, with another
number in it each time: what it has compiled before, it compiles in half the time.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import devices_peers as peers
from devices_modules import module
from devices_rounds import Contestant, Table, main, optional, race

OURS: Final = "ours: first launch of a kernel"
ALONE: Final = "NVRTC alone, the text of such a kernel"
SHORT: Final = "NVRTC alone, a saxpy of five lines"
N: Final = 1024
FILE: Final = '''\
"""A saxpy that was never compiled before."""

from transpile import native, tile


@tile.kernel
def saxpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    offsets = tile.program_id() * 256 + tile.arange(256)
    mask = offsets < n
    xs = tile.load(x, offsets, mask)
    ys = tile.load(y, offsets, mask)
    tile.store(y, offsets, a * xs + ys + {number}.0, mask)
'''


def files(folder: Path) -> Iterator[ModuleType]:
    """Modules of one new kernel each."""
    number = 0
    while True:
        number += 1
        path = folder / f"kernel_{number}.py"
        path.write_text(FILE.format(number=number), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        yield made


class Recorder:
    """Remembers what the JIT asked of NVRTC, so that it can be asked for much the same again."""

    def __init__(self) -> None:
        from transpile.build import nvrtc

        self.asked: Callable[[int], object] | None = None
        self.numbers = count(1_000_001)
        compiles: Any = nvrtc.Nvrtc.compile

        def recording(library: Any, text: str, *given: Any, **named: Any) -> Any:
            self.asked = lambda number: compiles(library, renumbered(text, number), *given, **named)
            return compiles(library, text, *given, **named)

        nvrtc.Nvrtc.compile = recording  # type: ignore[method-assign,assignment]

    def again(self) -> None:
        if self.asked is None:
            raise RuntimeError("the JIT did not ask NVRTC for anything")
        self.asked(next(self.numbers))


def renumbered(text: str, number: int) -> str:
    """The text of a kernel of `FILE` with another number in it. Raises ValueError where it has none."""
    changed, places = re.subn(r"\+ \d+\.0;", f"+ {number}.0;", text)
    if places == 0:
        raise ValueError("the emitted text does not end its sum in a number")
    return changed


def our_launches(folder: Path, wait: Callable[[], object]) -> tuple[Recorder, Callable[[], float]]:
    """The recorder, and one first launch of a new kernel: seconds."""
    import cupy

    from transpile import tile

    recorder, modules = Recorder(), files(folder)
    x, y = cupy.ones(N), cupy.ones(N)

    def launch() -> float:
        kernel = next(modules).saxpy
        started = time.perf_counter()
        tile.launch(kernel, N // 256, N, 2.0, x, y)
        wait()
        return time.perf_counter() - started

    return recorder, launch


def nvrtc_of(text: str) -> Callable[[], None]:
    """NVRTC through CuPy's bindings, to machine code of the present device."""
    import cupy
    from cupy.cuda import nvrtc

    arch = f"-arch=sm_{cupy.cuda.Device().compute_capability}"

    numbers = count(1)

    def compile_it() -> None:
        changed = text.replace("+ y[i];", f"+ y[i] + {next(numbers)}.0;")
        program = nvrtc.createProgram(changed, "saxpy.cu", (), ())
        nvrtc.compileProgram(program, (arch,))
        nvrtc.getCUBIN(program)
        nvrtc.destroyProgram(program)

    return compile_it


def measure(options: argparse.Namespace) -> list[Table]:
    table = Table("JIT of one kernel, empty cache", "ms", ALONE)
    with tempfile.TemporaryDirectory() as name:
        os.environ.update(TRANSPILE="cuda", TRANSPILE_CACHE=str(Path(name) / "cache"))
        wait = module(options.modules, "floor").synchronize

        def ours() -> Iterator[Contestant]:
            recorder, launch = our_launches(Path(name), wait)
            first = launch()
            table.notes.append(f"the first launch of the process, imports and libraries included: {first * 1e3:.0f} ms")
            yield Contestant(OURS, launch)
            yield Contestant(ALONE, recorder.again)

        contestants = optional(table, "ours", ours)
        contestants += optional(table, SHORT, lambda: [Contestant(SHORT, nvrtc_of(peers.CUDA_SAXPY))])
        race(table, contestants, options.rounds)
    table.compare("first launch of a kernel, against NVRTC alone", OURS, ALONE, 1.5)
    return [table]


if __name__ == "__main__":
    main(measure, "The JIT with an empty cache")
