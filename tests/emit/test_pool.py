"""The pool of threads inside C++ texts: right with several callers, after fork, and at exit; no more than asked for."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tests.support.compiling import compile_cpu
from tests.support.everywhere import Text

SOURCE: Final = """
from transpile import native, tile


@tile.kernel
def double(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    at = (tile.program_id(2) * tile.num_programs(1) + tile.program_id(1)) * tile.num_programs(0) + tile.program_id(0)
    lanes = at * 64 + tile.arange(64)
    tile.store(y, lanes, tile.load(x, lanes) * 2.0)
"""
# Run in a process of its own: loads the library and launches over a grid.
PROGRAM: Final = """
import ctypes, os, sys
import numpy as np
library = ctypes.CDLL({path!r})
def launch(x_programs, y_programs=1, z_programs=1):
    x = np.arange(x_programs * y_programs * z_programs * 64.0)
    y = np.zeros_like(x)
    grid = [ctypes.c_int64(n) for n in (x_programs, y_programs, z_programs)]
    status = library.pooled_double(*grid, ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data), None)
    assert status == 0 and (y == 2 * x).all()
def threads():
    return len(os.listdir("/proc/self/task"))
os.environ.get("OPENBLAS_NUM_THREADS")
before = threads()
{body}
"""


@cache
def library() -> Path:
    return compile_cpu(Text(SOURCE, "pooled").emitted("cpu"))


def run(body: str, **environment: str) -> str:
    """What a fresh process prints. Fails where it does not end in time, or not well."""
    program = PROGRAM.format(path=str(library()), body=body)
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, **quiet, **environment},
    )
    return done.stdout.strip()


def test_every_place_of_a_grid_runs_once() -> None:
    run("launch(1000, 7, 3); launch(1, 1, 4000); launch(1, 50000); launch(1); launch(0)")


@pytest.mark.parametrize("wanted", [1, 2, 3])
def test_as_many_threads_as_asked_for(wanted: int) -> None:
    assert run("launch(20000); print(threads() - before)", TRANSPILE_NUM_THREADS=str(wanted)) == str(wanted - 1)


@pytest.mark.parametrize("nonsense", ["", "0", "-4", "many"])
def test_nonsense_is_not_heeded(nonsense: str) -> None:
    count = len(os.sched_getaffinity(0))
    assert run("launch(20000); print(threads() - before)", TRANSPILE_NUM_THREADS=nonsense) == str(count - 1)


def test_the_affinity_mask_counts() -> None:
    body = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); launch(20000); print(threads() - before)"
    assert run(body) == "0"


def test_a_small_launch_wakes_nobody() -> None:
    assert run("launch(8); print(threads() - before)", TRANSPILE_NUM_THREADS="4") == "0"


def test_a_child_of_fork_has_threads_of_its_own() -> None:
    body = """
launch(20000)
child = os.fork()
if child == 0:
    launch(20000)
    print(threads(), flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
launch(20000)
"""
    assert run(body, TRANSPILE_NUM_THREADS="3") == "3"


def test_several_callers_at_once() -> None:
    loaded = ctypes.CDLL(str(library()))
    x = np.arange(5000 * 64.0)
    wrong: list[int] = []

    def call() -> None:
        y = np.zeros_like(x)
        pointers = (ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))
        for _ in range(20):
            y[:] = 0
            status = loaded.pooled_double(ctypes.c_int64(5000), ctypes.c_int64(1), ctypes.c_int64(1), *pointers, None)
            if status != 0 or not (y == 2 * x).all():
                wrong.append(status)

    callers = [threading.Thread(target=call) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert not wrong
    assert not any(caller.is_alive() for caller in callers)


def test_exit_while_another_thread_launches() -> None:
    body = """
import threading, time
def keep():
    while True:
        launch(20000)
threading.Thread(target=keep, daemon=True).start()
time.sleep(0.2)
"""
    run(body)
