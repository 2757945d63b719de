"""Arrays of JAX, which never change: for `const_ptr` alone."""

from __future__ import annotations

import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import cupy
import jax
import jax.numpy as jnp
import kernels_ext as kernels
import numpy as np

from tests.engine.expecting import refused

N = 1000
GRID = 4
jax.config.update("jax_enable_x64", True)


def check_they_are_read() -> None:
    x, y = jnp.arange(N, dtype=jnp.float64), cupy.ones(N)
    kernels.saxpy[GRID](N, 2.0, x, y)
    assert (y.get() == 2.0 * np.arange(N) + 1.0).all()


def check_they_are_not_written() -> None:
    x, y = cupy.ones(N), jnp.ones(N, dtype=jnp.float64)
    refused(ValueError, "argument 'y' is read-only, but the kernel may write it", kernels.saxpy[GRID], N, 2.0, x, y)


def check_they_live_until_the_kernel_is_done() -> None:
    n = 1 << 18
    sums = []
    for number in range(200):
        x, y = jnp.full((n,), float(number), dtype=jnp.float64), cupy.zeros(n)
        kernels.saxpy[n // 256](n, 1.0, x, y)
        del x
        sums.append(y[:: n // 4].sum())
    assert [float(each) for each in sums] == [4.0 * number for number in range(200)]


def check_narrow_types() -> None:
    x, bits = jnp.linspace(-8, 8, 256).astype(jnp.float16), cupy.zeros(256, cupy.uint16)
    kernels.halves[1](0.5, x, bits)
    wanted = (x.astype(jnp.float32) + 0.5).astype(jnp.bfloat16)
    assert (bits.get() == np.asarray(wanted).view(np.uint16)).all()
    eights, out = jnp.linspace(-400, 400, 256).astype(jnp.float8_e4m3fn), cupy.zeros(256, cupy.uint8)
    kernels.eights[1](eights, out)
    doubled = (eights.astype(jnp.float32) * 2.0).astype(jnp.float8_e5m2)
    assert (out.get() == np.asarray(doubled).view(np.uint8)).all()
