"""The error function: the algorithm of `runtime_cpp/math/erf.hpp`."""

from __future__ import annotations

from typing import Final

from transpile.ops.functions.numbers import polynomial, real
from transpile.ops.functions.power_of_two import power_of_two, scaled
from transpile.ops.math import fma
from transpile.ops.reference import Array

_NEAR32: Final = (
    "0x1.4a71d2p-14", "-0x1.a4dda8p-11", "0x1.5431c4p-8", "-0x1.b7ff90p-6", "0x1.ce2d5cp-4", "-0x1.812740p-2",
    "0x1.06eba8p-3",
)  # fmt: skip
_FAR32: Final = (
    "-0x1.eefaa4p-16", "0x1.430584p-11", "-0x1.87017ep-8", "0x1.27c7d0p-5", "-0x1.3f82aap-3", "-0x1.d3ebf4p-1",
    "-0x1.a1240cp+0",
)  # fmt: skip
_NEAR64: Final = (
    "-0x1.62508886ced43p-30", "0x1.116ccb8551c1cp-26", "-0x1.64df248ebe4edp-23", "0x1.baab894768180p-20",
    "-0x1.f4e3060977e30p-17", "0x1.f9a40b3c265c9p-14", "-0x1.c02dbbc862a73p-11", "0x1.565bcd3898147p-8",
    "-0x1.b82ce3139310cp-6", "0x1.ce2f21a0461cfp-4", "-0x1.812746b037a2bp-2", "0x1.06eba8214db69p-3",
)  # fmt: skip
_FAR64: Final = (
    "0x1.26a58879084a3p-39", "-0x1.996c1746a3498p-34", "0x1.0a6f85baa8a36p-29", "-0x1.af49edd40626ap-26",
    "0x1.e5981d1fd0cebp-23", "-0x1.9215e5a1a1c3cp-20", "0x1.f6b7638cc7800p-18", "-0x1.dafdc500998f4p-16",
    "0x1.45fa952232ca0p-14", "-0x1.11557b3e8d910p-13", "-0x1.a8a33e7a1801dp-17", "0x1.bdc97f2ad7d0cp-11",
    "-0x1.4362033dacff2p-9", "0x1.596e834fe703ep-12", "0x1.c3c91e9ba65b8p-6", "-0x1.2fa205bf25eedp-3",
    "-0x1.d63f584edce03p-1", "-0x1.a0be76a52c445p+0",
)  # fmt: skip


def erf(x: Array) -> Array:
    """The error function of x."""
    import numpy as np

    is_single = x.dtype == np.float32
    a = np.fabs(x)
    near = fma(a, polynomial(a * a, _NEAR32 if is_single else _NEAR64), a)
    most = real(x, "0x4p+0" if is_single else "0x6p+0")
    b = np.where(a > most, most, a)
    t = polynomial(b, _FAR32 if is_single else _FAR64)
    constant = real(x, "0x1.ea27cep-13" if is_single else "-0x1.3c0fb57fa5175p-24")
    high = fma(t, b, constant)
    n, power, _ = power_of_two(high, fma(t, b, constant - high))
    far = real(x, "0x1p+0") - power * scaled(n, 0)
    return np.copysign(np.where(a < real(x, "0x1.cp-1"), near, far), x)
