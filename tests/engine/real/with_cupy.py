"""Arrays of CuPy, and of CuPy beside torch's; streams of cuda.core."""

from __future__ import annotations

from typing import Any

import cupy
import kernels_ext as kernels
import numpy as np
import torch

from tests.engine.expecting import refused

N = 1000
GRID = 4
WANTED = 2.0 * np.arange(N) + 1.0


def arrays() -> tuple[Any, Any]:
    return cupy.arange(N, dtype=cupy.float64), cupy.ones(N)


def wait() -> None:
    cupy.cuda.Device().synchronize()


def check_current_streams() -> None:
    x, y = arrays()
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.get() == WANTED).all()
    with cupy.cuda.Stream(non_blocking=True) as side:
        y = cupy.ones(N)
        kernels.saxpy[GRID](N, 2.0, x, y)
        side.synchronize()
        assert (y.get() == WANTED).all()


def check_streams_by_argument() -> None:
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null, cupy.cuda.Stream.ptds):
        x, y = arrays()
        wait()
        kernels.saxpy[GRID](N, 2.0, x, y, stream=stream)
        wait()
        assert (y.get() == WANTED).all()


def check_streams_of_cuda_core() -> None:
    from cuda.core import Device

    device = Device()
    device.set_current()
    stream = device.create_stream()
    x, y = arrays()
    wait()
    kernels.saxpy[GRID](N, 2.0, x, y, stream=stream)
    stream.sync()
    assert (y.get() == WANTED).all()


def check_graphs() -> None:
    with cupy.cuda.Stream(non_blocking=True) as side:
        x, y = arrays()
        side.begin_capture()
        kernels.saxpy[GRID](N, 2.0, x, y)
        graph = side.end_capture()
        y.fill(1.0)
        graph.launch(side)
        side.synchronize()
        assert (y.get() == WANTED).all()


def check_views() -> None:
    x, y = arrays()
    kernels.saxpy[1](10, 2.0, x[:10], y[20:30].reshape(2, 5))
    assert (y.get()[20:30] == WANTED[:10]).all()
    refused(ValueError, "pass cupy.ascontiguousarray(x)", kernels.saxpy[1], 4, 1.0, x[::2], y)
    refused(TypeError, "float64, not of float32", kernels.saxpy[1], 4, 1.0, x.astype(cupy.float32), y)
    kernels.saxpy[0](0, 1.0, x[:0], y[:0])


def check_pinned_arrays() -> None:
    import cupyx

    x, y = cupyx.empty_pinned(N, float), cupyx.empty_pinned(N, float)
    x[:], y[:] = np.arange(N), 1.0
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y == WANTED).all()


def check_beside_torch() -> None:
    x, _ = arrays()
    y = torch.ones(N, dtype=torch.float64, device="cuda")
    wait()
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.cpu().numpy() == WANTED).all()
    with cupy.cuda.Stream(non_blocking=True):
        refused(ValueError, "different current streams", kernels.saxpy[GRID], N, 2.0, x, y)
        kernels.saxpy[GRID](N, 2.0, x, y, stream=0)
    host = np.ones(N)
    kernels.saxpy[GRID](N, 2.0, x, host)
    assert (host == WANTED).all()


def check_narrow_types() -> None:
    x = cupy.linspace(-8, 8, 256).astype(cupy.float16)
    bits = cupy.zeros(256, cupy.uint16)  # of bfloat16, which CuPy may not have
    kernels.halves[1](cupy.float16(0.5), x, bits)
    wide = (bits.astype(cupy.uint32) << 16).view(cupy.float32)
    assert (abs(wide - (x.astype(cupy.float32) + 0.5)) <= abs(wide) / 256).all()
    naturals = cupy.arange(65280, 65536).astype(cupy.uint16)
    y, z = cupy.zeros(256, cupy.uint32), cupy.zeros(256, cupy.uint64)
    kernels.naturals[1](naturals, y, z)
    assert (y == naturals.astype(cupy.uint32) * cupy.uint32(65537)).all()
    assert (z == y.astype(cupy.uint64) * cupy.uint64(4294967297)).all()
