"""What the kernels of `programs/waves.py` should do. The functions are the definitions, which `tests/ops/test_waves.py`
judges; near 0 and far out, since the CPU has loops for either."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tests.run.judged import Case, halve, normal
from transpile.ops.table import OPERATIONS

F: Final = np.float32
SIN, COS, TANH, ERF, GELU, GELU_TANH = (
    OPERATIONS[name].reference for name in ("sin", "cos", "tanh", "erf", "gelu", "gelu_tanh")
)


def wave(x: Any, phase: float) -> Any:
    return np.where(x > 100.0, 0.0, SIN(x + phase) * GELU(x))


def tiles_expects(n: Any, x: Any, out: Any) -> None:
    lane = np.arange(256)
    a = np.where(lane < n, x, 0.0)
    both = SIN(a) * COS(a)
    out[:256] = both
    out[256:512] = COS(both) if n > 100 else both
    for _ in range(3):
        a = SIN(a) + a
    out[512:768] = a
    out[768:] = np.where(lane < n, wave(a, 0.5), out[768:])


def tiles32_expects(x: Any, out: Any) -> None:
    out[:256] = SIN(x)
    out[256:512] = COS(x * F(3)) + F(1)
    out[512:768] = TANH(x) - ERF(x)
    out[768:1024] = GELU(x) * GELU_TANH(x) + x
    out[1024:1280] = SIN(np.arange(256.0)).astype(F)
    out[1280:] = COS(x[7:8]) * halve(SIN(x))


def threads_expects(x: Any, wide: Any, out: Any) -> None:
    wide[:] = wave(x.astype(float), 0.25) + COS(np.arange(256.0))
    out[:256] = SIN(x) + TANH(x)
    out[256:] = ERF(x) * GELU_TANH(x) + COS(x)


def far(x: Any) -> Any:
    """With some lanes far out, where angles are reduced in integers."""
    changed = x.copy()
    changed[3::17] = np.resize([65536.0, 1e6, 2.0**30, -3e9, 1e22, -1e38, np.inf, -np.inf, np.nan], 15)
    return changed


def cases() -> Iterator[Case]:
    near = normal(256) * 1000
    for n, x in ((256, near), (90, near), (256, far(near)), (90, far(near))):
        yield Case("tiles", 1, None, [n, x, np.zeros(1024)], tiles_expects)
    for x in (near.astype(F), far(near.astype(F)), normal(256).astype(F)):
        yield Case("tiles32", 1, None, [x, np.zeros(1536, F)], tiles32_expects)
        yield Case("threads", 4, 64, [x, np.zeros(256), np.zeros(512, F)], threads_expects)
