"""What the kernels of `programs/powers.py` should do: the special cases, and powers that are floats exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tests.run.judged import Case

INF, NAN = np.inf, np.nan
F: Final = np.float32
# Every pair of these has a power that is exact, or that is 0, an infinity or NaN: the C library has the right one.
BASES: Final = (0.0, -0.0, 1.0, -1.0, 4.0, -4.0, 0.25, INF, -INF, NAN, 16.0, -0.0625, 1048576.0, 2.0**-100)
EXPONENTS: Final = (
    *(0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 5.0, 4097.0, 0.5, -0.5, 2.5),
    *(1e30, -1e30, -2e9, INF, -INF, NAN),
)


def one_power(x: float, y: float) -> float:
    """As C has it, where Python raises."""
    is_odd = y % 2 == 1
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0 and is_odd else INF
    except ValueError:
        return NAN if x != 0 else math.copysign(INF, x) if is_odd else INF


def power(x: Any, y: Any) -> Any:
    """x to the power y, in the type of x."""
    wide = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    return np.array([one_power(*lane) for lane in zip(*(each.tolist() for each in wide), strict=True)]).astype(x.dtype)


def pairs(dtype: Any) -> tuple[Any, Any]:
    """256 of them."""
    x, y = (part.ravel() for part in np.meshgrid(BASES, EXPONENTS, indexing="ij"))
    return np.resize(x, 256).astype(dtype), np.resize(y, 256).astype(dtype)


def tiles_expects(n: Any, p: Any, x: Any, y: Any, out: Any) -> None:
    lane = np.arange(256)
    out[:256] = out[256:512] = out[2048:2304] = out[2304:] = power(x, y)
    out[512:768] = power(x, n)
    out[768:1024] = power(x, p)
    out[1024:1280] = power(np.full(256, 16.0), y)
    out[1280:1536] = lane
    out[1536:1792] = 0.125 ** (lane % 16)
    out[1792:2048] = 0.5 ** (lane % 50)


def tiles32_expects(n: Any, p: Any, s: Any, x: Any, y: Any, out: Any) -> None:
    out[:256] = power(x, y)
    out[256:512] = power(x, n)
    out[512:768] = power(x, p)
    out[768:1024] = power(np.full(256, F(s)), y)
    out[1024:1280] = power(np.full(256, F(4)), y)
    out[1280:1536] = power(x, -2)
    out[1536:] = power(x * x, 0.5)


def threads_expects(n: Any, x: Any, y: Any, wide: Any, out: Any) -> None:
    i = np.arange(256)
    wide[:256] = power(x, y)
    wide[256:512] = i * i + 1.0 / n
    wide[512:] = x * x + i * i
    out[:256] = power(y, 0.5)
    out[256:] = power(y, n)


def cases() -> Iterator[Case]:
    x, y = pairs(float)
    for n, p in ((4, 0.5), (2, -2.0)):
        yield Case("tiles", 1, None, [n, p, x, y, np.zeros(2560)], tiles_expects)
    x32, y32 = pairs(F)
    yield Case("tiles32", 1, None, [4, -2.0, -4.0, x32, y32, np.zeros(1792, F)], tiles32_expects)
    yield Case("threads", 4, 64, [4, x, y32, np.zeros(768), np.zeros(512, F)], threads_expects)
