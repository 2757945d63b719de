"""Assertions of kernels that were compiled while the program runs, on the stand-in for the driver. Takes the path of
asserting.cpp, compiled."""

import ctypes
import sys
import threading

import numpy as np
import pytest

from transpile import KernelAssertionError
from transpile.build.engine import load_engine

image = f"fake:{sys.argv[1]}".encode()
engine = load_engine()
driver = ctypes.CDLL("libcuda.so.1")
description = {
    "name": "checked",
    "summary": "",
    "parameters": [("n", "scalar", "i64"), ("out", "pointer", "f64")],
    "statics": [],
    "apart": [],
    "shared": 0,
    "sized": [],
    "symbol": "checked",
    "role": "thread_kernel",
    "rule": "any",
    "threads": 0,
    "prints": True,
    "assertions": [["kernels.py", 7, "n >= 0", "", 2], ["kernels.py", 9, "n > -2", "far \N{PILE OF POO} below", 2]],
}
checked = engine.load(description, {90: image}).checked
host = np.full(1, 9.0)
there = engine.allocate("cuda", -1, "f64", 1)


def value() -> float:
    found = np.zeros(1)
    there.copy_out(found)
    return float(found[0])


# A call that waits raises at once, and the next one runs.
with pytest.raises(KernelAssertionError) as caught:
    checked[3, 1](-1, host)
error = caught.value
assert str(error) == "kernels.py:7: [block 2, thread 17] assert n >= 0"
assert (error.file, error.line, error.text, error.message) == ("kernels.py", 7, "n >= 0", "")
assert (error.program, error.block, error.thread) == (None, 2, 17)
checked[3, 1](5, host)
assert host[0] == 5

# With arrays of the device the next launch tells, and does not run.
checked[1, 1](1, there)
checked[1, 1](-2, there)
with pytest.raises(
    AssertionError, match=r"^kernels.py:9: \[block 0, thread 17\] assert n > -2: far \N{PILE OF POO} below$"
):
    checked[1, 1](2, there)
assert value() == 1
checked[1, 1](2, there)
assert value() == 2

# Or whoever waits for the device; once.
checked[1, 1](-1, there)
with pytest.raises(AssertionError, match="assert n >= 0"):
    engine.synchronize("cuda")
engine.synchronize("cuda")

# Whoever looks at an array of the device waits, too.
checked[1, 1](-1, there)
with pytest.raises(KernelAssertionError, match="assert n >= 0"):
    value()
assert value() == 2

# The record of a kernel that is first launched while a graph is captured is no part of the graph.
stream = ctypes.c_void_p()
assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0
driver.fake_capture(stream, 1)
captured = engine.load({**description, "name": "captured"}, {90: image}).captured
captured[1, 1](3, there, stream=stream.value)
driver.fake_capture(stream, 0)

# Several threads: each failure is told once.
told = []


def fail_often() -> None:
    for _ in range(20):
        try:
            checked[1, 1](-1, np.zeros(1))
        except AssertionError:
            told.append(1)


threads = [threading.Thread(target=fail_often) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert 1 <= len(told) <= 80
engine.synchronize("cuda")
print("done")
