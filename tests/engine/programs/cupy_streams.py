"""A CuPy that says its current stream through a C function."""

from __future__ import annotations

import gpu_ext as gpu
import numpy as np
import tensors

from tests.engine.arrays import Cupy, driver, new_stream, pretend_cupy
from tests.engine.expecting import refused

cupy = pretend_cupy("intptr_t (int)")


def check_the_current_stream() -> None:
    for stream in (new_stream(), 0):
        tensors.set_stream(stream)
        x, y = Cupy(np.ones(4)), Cupy(np.ones(4))
        gpu.saxpy[1](4, 2.0, x.array, y.array)
        assert (driver.fake_last_stream() or 0) == stream
        assert y.values.tolist() == [3.0] * 4
    assert cupy.asked == []


def check_its_own_error() -> None:
    x, y = Cupy(np.ones(4), 1), Cupy(np.ones(4), 1)
    refused(IndexError, "no device 1", gpu.saxpy[1], 4, 2.0, x.array, y.array)
    gpu.saxpy[1](4, 2.0, x.array, y.array, stream=new_stream(1))
    assert y.values.tolist() == [3.0] * 4
