"""The logistic function and what is made like it: the algorithms of `runtime_cpp/math/logistic.hpp`, `sigmoid.hpp`,
`silu.hpp` and `softplus.hpp`."""

from __future__ import annotations

from transpile.ops.functions.exp import TAIL32, TAIL64, reduced
from transpile.ops.functions.log import log_tail
from transpile.ops.functions.numbers import exponent, from_bits, polynomial, real, to_bits
from transpile.ops.math import fma
from transpile.ops.reference import Array


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return _logistic(x, real(x, "1.0"))


def silu(x: Array) -> Array:
    """x / (1 + e^-x)."""
    import numpy as np

    return np.copysign(_logistic(x, x), x)


def softplus(x: Array) -> Array:
    """log(1 + e^x)."""
    import numpy as np

    zero, half, one = real(x, "0.0"), real(x, "0.5"), real(x, "1.0")
    w, w_low = exp_in_two(np.negative(np.fabs(x)))
    is_halved = w > real(x, "0x1.555556p-2", "0x1.5555555555555p-2")
    f: Array = np.where(is_halved, fma(w, half, -half), w)
    f_low = np.where(is_halved, fma(w_low, half, fma(w, half, -half - f)), w_low)
    part: Array = np.where(is_halved, real(x, "0x1.62e4p-1", "0x1.62e42fefa38p-1"), zero)
    part_low = np.where(is_halved, real(x, "0x1.7f7d1cp-20", "0x1.ef35793c7673p-45"), zero)
    logarithm = part + f
    lost = (f - (logarithm - part)) + fma(f_low, one - f, log_tail(f) + part_low)
    above: Array = np.where(x > 0, x, zero)
    high = above + logarithm
    shift = high - above
    low = ((above - (high - shift)) + (logarithm - shift)) + lost
    far = np.where(x > 0, x, (w + w_low) * real(x, "0x1p-64"))
    far = np.where(x < _vanishing(x), zero, far)
    return np.where(np.fabs(x) <= 40, high + low, far)


def _logistic(x: Array, weight: Array) -> Array:
    """weight / (1 + e^-x)."""
    import numpy as np

    zero, one = real(x, "0.0"), real(x, "1.0")
    is_far = np.fabs(x) > 40
    power, power_low = exp_in_two(np.negative(np.fabs(x)))
    total = one + power
    below = np.where(is_far, one, total)
    below_low = np.where(is_far, zero, (power - (total - one)) + power_low)
    factor = np.where(x < 0, power, one)
    factor_low = np.where(x < 0, power_low, zero)
    above = weight * factor
    above_low = fma(weight, factor_low, fma(weight, factor, -above))
    inverse = one / below
    quotient = above * inverse
    rest = fma(-quotient, below_low, fma(-quotient, below, above) + above_low)
    result = fma(rest, inverse, quotient)
    far = np.where(x > 0, weight, result * real(x, "0x1p-64"))
    far = np.where(x < _vanishing(x), np.copysign(zero, weight), far)
    return np.where(is_far, far, result)


def exp_in_two(x: Array) -> tuple[Array, Array]:
    """e^x for x from -40 to 0, as a number and what it lacks; below -40 both are 2^64 times too large."""
    import numpy as np

    shifted, r = reduced(x)
    q = polynomial(r, TAIL32, TAIL64)
    one = to_bits(np.where(x < -40, real(x, "0x1p+64"), real(x, "1.0")))
    power = from_bits(one + exponent(to_bits(shifted)))
    linear = fma(power, r, power)
    rest = fma(power * (r * r), q, fma(power, r, power - linear))
    high = linear + rest
    return high, rest - (high - linear)


def _vanishing(x: Array) -> Array:
    """Below it e^x and x e^x are 0."""
    return real(x, "-128.0", "-752.0")
