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
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

import transpile
from tests.cases.case import Array, Job, Outcome, trial_argument
from tests.support.compiling import compile_on_fibres
from tests.support.everywhere import CTYPES
from transpile import cuda, pipeline, tile
from transpile.backends.table import BACKENDS
from transpile.diagnostics.core import CompileError, Sink
from transpile.frontend.load import load_function
from transpile.ir import tir
from transpile.lang.arguments import check_arguments
from transpile.typing.types import Scalar

FIBRE_SETTINGS: Final = {"cuda": ((32, 0), (32, 1)), "hip": ((32, 7), (64, 0), (64, 1))}


def main() -> None:
    job: Job = pickle.loads(sys.stdin.buffer.read())
    sys.path.insert(0, sys.argv[1])
    warnings.simplefilter("error", RuntimeWarning)
    outcomes = run(job, Path(sys.argv[1]))
    sys.stdout.write("\n" + pickle.dumps(outcomes).hex() + "\n")


def run(job: Job, folder: Path) -> list[Outcome]:
    """The outcome of each launch step; later ones see what earlier ones wrote, unless a step brings its own inputs."""
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
        if job.target in FIBRE_SETTINGS:
            launch_on_fibres(job, folder, module, launch, held)
        else:
            with transpile.target(job.target):
                launch_from_python(module, launch, held)
    except CompileError as error:
        place = error.diagnostics[0].primary.span
        outcome = replace(outcome, stage="compile", message=str(error), line=place.line, column=place.column)
    except (TypeError, ValueError, OverflowError) as error:
        outcome = replace(outcome, stage="launch", message=str(error))
    arrays = {name: value.copy() for name, value in held.items() if isinstance(value, np.ndarray)}
    return replace(outcome, arrays=arrays)


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


def launch_on_fibres(
    job: Job, folder: Path, module: ModuleType, launch: dict[str, Any], held: Mapping[str, Any]
) -> None:
    """Emits, compiles on fibres, calls the C ABI once a setting; every setting must give the same arrays."""
    backend = BACKENDS[job.target]
    if "call" in launch:
        name, sizes = launch["call"], []
        loaded = pipeline.load(str(folder / f"{job.stem}.py"))
    else:
        name = launch["kernel"]
        sizes = [launch["grid"]] + ([launch["block"]] if "block" in launch else [])
        sink = Sink()
        found = load_function(getattr(module, name).function, sink)
        sink.raise_if_any()
        assert found is not None
        loaded = found
    typed = pipeline.check(loaded)
    library = ctypes.CDLL(str(compile_on_fibres(pipeline.emit_typed(loaded, typed, backend))))
    library.fibres_report.restype = ctypes.c_char_p
    library.fibres_configure.argtypes = [ctypes.c_int, ctypes.c_uint64]
    function = typed.function(name)
    arguments = check_arguments(function, [held[given] for given in launch["args"]])
    before = {given: value.copy() for given, value in held.items() if isinstance(value, np.ndarray)}
    results = []
    for setting in FIBRE_SETTINGS[job.target]:
        for given, array in before.items():
            if held[given].flags.writeable:
                held[given][:] = array
        library.fibres_configure(*setting)
        status = call(getattr(library, f"{loaded.stem}_{name}"), function, sizes, arguments)
        report = library.fibres_report().decode()
        assert not report, report
        assert status == 0, f"status {status}"
        results.append({given: held[given].tobytes() for given in before})
    assert all(result == results[0] for result in results[1:]), f"the settings {FIBRE_SETTINGS[job.target]} differ"


def call(entry: Any, function: tir.Function, sizes: Sequence[Any], arguments: Sequence[Any]) -> int:
    given: list[Any] = []
    for size in sizes:
        axes = tuple(size) if isinstance(size, list) else (size,)
        given += [ctypes.c_int64(axis) for axis in (*axes, 1, 1)[:3]]
    for parameter, value in zip(function.parameters, arguments, strict=True):
        if isinstance(parameter.value.type, Scalar):
            given.append(CTYPES[parameter.value.type.dtype.name](value))
        else:
            array: Array = value.array
            given.append(ctypes.c_void_p(array.ctypes.data))
    return int(entry(*given, None))


if __name__ == "__main__":
    main()
