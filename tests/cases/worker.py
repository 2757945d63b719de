"""One process of a case: imports the kernel file, launches on one target, reports what happened.

python -m tests.cases.worker FOLDER      a pickled `Job` on stdin, pickled outcomes on stdout's last line, as hex
"""

from __future__ import annotations

import ctypes
import importlib
import pickle
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

import transpile
from tests.cases.case import Array, Job, Outcome, arrays_of, trial_argument
from tests.support import device
from tests.support.compiling import compile_for_device, compile_on_fibres
from tests.support.everywhere import CTYPES
from transpile import cuda, pipeline, tile
from transpile.backends.table import BACKENDS
from transpile.diagnostics.core import CompileError
from transpile.ir import tir
from transpile.lang.arguments import check_arguments
from transpile.lang.geometry import check_groups, read_block, read_grid
from transpile.reference.pointer import PointerValue
from transpile.typing.types import Scalar

FIBRE_SETTINGS: Final = {"cuda": ((32, 0), (32, 1)), "hip": ((32, 7), (64, 0), (64, 1))}
ON_DEVICE: Final = {"cuda on the device": "cuda", "hip on the device": "hip"}
FROM_PYTHON: Final = {"reference": "reference", "cpu": "cpu", "launched on the device": "cuda"}


def main() -> None:
    job: Job = pickle.loads(sys.stdin.buffer.read())
    outcomes = run(job, Path(sys.argv[1]))
    sys.stdout.write("\n" + pickle.dumps(outcomes).hex() + "\n")


def answer(sender: Connection, folder: Path, job: Job) -> None:
    """Sends the outcomes."""
    sender.send(run(job, folder))
    sender.close()


def run(job: Job, folder: Path) -> list[Outcome]:
    """The outcome of each launch step; later ones see what earlier ones wrote, unless a step brings its own inputs."""
    if job.target in ON_DEVICE:
        device.driver()  # first of all: what watches a process waits for this
    sys.dont_write_bytecode = True  # cases change files and keep their times
    sys.path.insert(0, str(folder))
    warnings.simplefilter("error", RuntimeWarning)
    module = importlib.import_module(job.stem)
    held = dict(job.inputs)
    outcomes = []
    for step in job.steps:
        if "trial" in step:
            held = {name: trial_argument(text) for name, text in step["trial"].items()}
        if "set_global" in step:
            for name, value in step["set_global"].items():
                setattr(module, name, value)
            continue
        outcomes.append(attempt(job, folder, module, step["launch"], held))
    return outcomes


def attempt(job: Job, folder: Path, module: ModuleType, launch: dict[str, Any], held: Mapping[str, Any]) -> Outcome:
    outcome = Outcome(arrays={})
    try:
        if job.target in FROM_PYTHON:
            with transpile.target(FROM_PYTHON[job.target]):
                launch_from_python(module, launch, held)
        else:
            outcome = replace(outcome, others=launch_emitted(job, folder, module, launch, held))
    except CompileError as error:
        place = error.diagnostics[0].primary.span
        outcome = replace(outcome, stage="compile", message=str(error), line=place.line, column=place.column)
    except (TypeError, ValueError, OverflowError) as error:
        outcome = replace(outcome, stage="launch", message=str(error))
    return replace(outcome, arrays=arrays_of(held))


def launch_from_python(module: ModuleType, launch: dict[str, Any], held: Mapping[str, Any]) -> None:
    arguments = [held[name] for name in launch["args"]]
    if "call" in launch:
        getattr(module, launch["call"])(*arguments)
        return
    kernel, grid = getattr(module, launch["kernel"]), _sizes(launch["grid"])
    if "block" in launch:
        cuda.launch(kernel, grid, _sizes(launch["block"]), *arguments)
    else:
        tile.launch(kernel, grid, *arguments)


def _sizes(given: Any) -> Any:
    return tuple(given) if isinstance(given, list) else given


def launch_emitted(
    job: Job, folder: Path, module: ModuleType, launch: dict[str, Any], held: Mapping[str, Any]
) -> list[dict[str, Array]]:
    """Emits, compiles, calls the C ABI once a setting; the arrays after all but the last, which `held` shows."""
    given = [held[name] for name in launch["args"]]
    sizes: list[tuple[int, int, int]] = []
    if "call" in launch:
        name = launch["call"]
        loaded, typed = pipeline.load_and_check(str(folder / f"{job.stem}.py"))
        function = typed.function(name)
    else:
        kernel = getattr(module, launch["kernel"])
        name = kernel.name
        sizes.append(read_grid(name, _sizes(launch["grid"])))
        program = kernel.program(given)
        loaded, typed, function = program.loaded, program.module, program.function
        if "block" in launch:
            sizes.append(read_block(name, _sizes(launch["block"])))
            check_groups(function, sizes[-1])
    arguments = check_arguments(function, given)
    backend = BACKENDS[ON_DEVICE.get(job.target, job.target)]
    entry = Entry(pipeline.emit_typed(loaded, typed, backend), f"{loaded.stem}_{name}", function, sizes, arguments)
    if job.target in ON_DEVICE:
        call_on_device(entry, backend.name)
        return []
    return call_on_fibres(entry, FIBRE_SETTINGS[job.target], held)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point of an emitted text, and one call of it."""

    text: str
    symbol: str
    function: tir.Function
    sizes: Sequence[tuple[int, int, int]]
    arguments: Sequence[Any]

    @property
    def arrays(self) -> list[Array]:
        return [value.array for value in self.arguments if isinstance(value, PointerValue)]

    def call(self, library: ctypes.CDLL, addresses: Sequence[int]) -> None:
        """Calls it with the arrays at these addresses. Asserts that it says ok."""
        given: list[Any] = [ctypes.c_int64(axis) for size in self.sizes for axis in size]
        places = iter(addresses)
        for parameter, value in zip(self.function.parameters, self.arguments, strict=True):
            kind = parameter.value.type
            if parameter.static is not None:
                continue
            given.append(CTYPES[kind.dtype.name](value) if isinstance(kind, Scalar) else ctypes.c_void_p(next(places)))
        status = int(getattr(library, self.symbol)(*given, None))
        assert status == 0, f"status {status}"


def call_on_fibres(
    entry: Entry, settings: Sequence[tuple[int, int]], held: Mapping[str, Any]
) -> list[dict[str, Array]]:
    library = ctypes.CDLL(str(compile_on_fibres(entry.text)))
    library.fibres_report.restype = ctypes.c_char_p
    library.fibres_configure.argtypes = [ctypes.c_int, ctypes.c_uint64]
    before = {key: value.copy() for key, value in held.items() if isinstance(value, np.ndarray)}
    results = []
    for setting in settings:
        for key, array in before.items():
            if held[key].flags.writeable:
                held[key][:] = array
        library.fibres_configure(*setting)
        entry.call(library, [array.ctypes.data for array in entry.arrays])
        report = library.fibres_report().decode()
        assert not report, report
        results.append(arrays_of(held))
    return results[:-1]


def call_on_device(entry: Entry, backend: str) -> None:
    library = ctypes.CDLL(str(compile_for_device(entry.text, backend, device.architecture())))
    with device.mirrored(entry.arrays) as addresses:
        entry.call(library, addresses)


if __name__ == "__main__":
    main()
