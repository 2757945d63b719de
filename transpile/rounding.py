"""Single numbers in the float types, exactly: rounding a Python number once, and the bits of the types that no machine
computes in. Nothing here needs NumPy: constants go this way, arrays by `transpile.ops.convert`."""

from __future__ import annotations

import math

from transpile.dtypes import DType


def nearest(value: float, dtype: DType) -> float:
    """`value`, an int or a float, as a conversion to the float type gives it: to nearest even from the value as it is,
    beyond the largest number to infinity, or to that number where the type saturates."""
    if isinstance(value, float) and not math.isfinite(value):
        return math.copysign(dtype.largest, value) if dtype.saturates and value == value else value
    sign = -1.0 if value < 0 else 1.0
    top, bottom = abs(value).as_integer_ratio()
    if top == 0:
        return float(value)
    exponent = top.bit_length() - bottom.bit_length()
    if top << max(-exponent, 0) < bottom << max(exponent, 0):
        exponent -= 1
    quantum = max(exponent, 1 - dtype.bias) - dtype.mantissa
    bottom <<= max(quantum, 0)
    steps, rest = divmod(top << max(-quantum, 0), bottom)
    steps += 2 * rest > bottom or (2 * rest == bottom and steps % 2 == 1)
    largest = dtype.largest
    if steps.bit_length() + quantum > dtype.bias + 1 + dtype.is_finite or math.ldexp(steps, quantum) > largest:
        return sign * (largest if dtype.saturates else math.inf)
    return sign * math.ldexp(steps, quantum)


def overflows(value: float, dtype: DType) -> bool:
    """Whether a conversion of the number would not keep its size: beyond the largest number to infinity or to that."""
    if isinstance(value, float) and not math.isfinite(value):
        return dtype.saturates and value == value
    rounded = nearest(value, dtype)
    return math.isinf(rounded) or (dtype.saturates and abs(rounded) == dtype.largest and abs(value) > _end(dtype))


def _end(dtype: DType) -> float:
    """Beyond it, numbers would round to the one that is next after the largest, if the type had it."""
    return dtype.largest + math.ldexp(0.5, math.frexp(dtype.largest)[1] - 1 - dtype.mantissa)


def bits_of(value: float, dtype: DType) -> int:
    """The bits of a number of a float type of 16 bits or fewer, which is one already."""
    sign = (math.copysign(1.0, value) < 0) << (dtype.bits - 1)
    top = ((1 << dtype.exponent) - 1) << dtype.mantissa
    if math.isnan(value):
        return top | ((1 << dtype.mantissa) - 1 if dtype.is_finite else 1 << (dtype.mantissa - 1))
    if math.isinf(value):
        return sign | top
    exponent = max(math.frexp(value)[1] - 1, 1 - dtype.bias) if value else 1 - dtype.bias
    steps = int(math.ldexp(abs(value), dtype.mantissa - exponent))
    return sign | (((exponent + dtype.bias - 1) << dtype.mantissa) + steps)


def value_of(bits: int, dtype: DType) -> float:
    """The number of such bits."""
    sign = -1.0 if bits >> (dtype.bits - 1) else 1.0
    field, steps = (bits >> dtype.mantissa) & ((1 << dtype.exponent) - 1), bits & ((1 << dtype.mantissa) - 1)
    if field == (1 << dtype.exponent) - 1 and (not dtype.is_finite or steps == (1 << dtype.mantissa) - 1):
        return math.nan if steps else sign * math.inf
    steps += (1 << dtype.mantissa) if field else 0
    return sign * math.ldexp(steps, max(field, 1) - dtype.bias - dtype.mantissa)
