"""Where functions of `runtime_cpp/math/` would go wrong: at the turns between their cases."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from transpile.dtypes import DType

# Multiples of pi / 4, also such that come near a float, and where the reduction changes.
_ANGLES: Final = (
    0.7853981633974483, 1.5707963267948966, 3.141592653589793, 6.283185307179586, 1e3 * 3.141592653589793,
    65536.0, 2.0**30, 2.0**24, 1e22, 16367173.0 * 2.0**72,
)  # fmt: skip
# Near these, on both sides, and at the numbers themselves.
TURNS: Final[dict[str, tuple[float, ...]]] = {
    "exp": (
        87.0, 88.72284, -87.0, -87.33655, 89.0, -103.27893, -103.97208, -104.0,
        708.0, 709.782712893384, 710.0, -708.0, -708.3964185322641, -744.4400719213812, -745.1332191019412, -746.0,
    ),
    "exp2": (
        126.0, -126.0, 127.5, 128.0, 129.0, -149.0, -150.0, -151.0,
        1022.0, -1022.0, 1024.0, 1025.0, -1074.0, -1076.0,
    ),
    "expm1": (
        0.35, -0.35, 0.5, -0.5, 1.04, -17.4, -37.5, 17.06, 37.2,
        87.0, 88.72284, 89.0, 708.0, 709.782712893384, 710.0,
    ),
    "log": (0.6666667, 1.0, 1.3333334, 2.7, 2.0, 0.5, 1.1754944e-38, 2.2250738585072014e-308),
    "log2": (0.6666667, 1.0, 1.3333334, 2.0, 0.25, 1024.0, 1.1754944e-38, 2.2250738585072014e-308),
    "log1p": (-1.0, -0.5, -0.3333333, 0.3333333, 1.0, 1.6666666, 16777216.0, 1.8446744e19, 1e-8, 1e-17),
    "sigmoid": (-40.0, 40.0, -87.4, -103.97, -128.0, -708.4, -745.2, -752.0, 17.4, 37.5, -0.3465736),
    "silu": (-40.0, 40.0, -87.4, -103.97, -108.7, -128.0, -708.4, -745.2, -751.9, -752.0, -0.3465736),
    "softplus": (-40.0, 40.0, 1.0986123, -1.0986123, -87.4, -103.97, -128.0, -745.2, -752.0, 17.4, 37.5),
    "relu": (0.0,),
    "rsqrt": (1.0, 4.0, 1.00002, 1.1754944e-38, 2.2250738585072014e-308),
    "sin": _ANGLES,
    "cos": _ANGLES,
    "tanh": (0.5625, 9.01, 10.0, 19.06154746539849600, 20.0),
    "erf": (0.875, 3.83, 4.0, 5.921587195794507, 6.0),
    "gelu": (5.25, -5.25, -13.05, -14.17, 15.0, -15.0, 8.3, -37.5, -38.4, 39.0, -39.0),
    "gelu_tanh": (5.0, -5.0, -9.6, -10.2, 11.0, -11.0, 8.1, -21.1, -21.5, 22.0, -22.0),
}  # fmt: skip


def function_values(name: str, edges: NDArray[Any], dtype: DType, lanes: int) -> NDArray[Any]:
    """The edge values, those around the turns of a function, and numbers of every size and of every pattern of bits."""
    turns = np.array(TURNS[name], dtype.numpy)
    near = [np.nextafter(turns, np.array(to, dtype.numpy)) for to in (-np.inf, np.inf)]
    fixed = np.concatenate([edges, turns, *near])
    source = np.random.default_rng(len(name) + dtype.bits)
    count = lanes - len(fixed)
    sizes = source.standard_normal(count) * 10.0 ** source.integers(-5, 4, count)
    patterns = source.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + source.integers(
        0, 2, count, dtype=np.uint64
    )
    patterns = (patterns >> np.uint64(64 - dtype.bits)).astype(f"u{dtype.bits // 8}").view(dtype.numpy)
    return np.concatenate([fixed, np.where(np.arange(count) % 4 == 0, patterns, sizes.astype(dtype.numpy))])
