"""The exact functions of floats: `sqrt`, `fma`, the roundings, signs and tests. Each is correctly rounded.

`fma` never computes `a*b + c` in a wider type and rounds that: rounding twice is wrong. For f32 the product is exact in
f64, and the sum there is rounded to odd, which a second rounding cannot spoil. For f64 the product and the sums are
split into a value and its exact error (Dekker, Knuth); Boldo and Melquiond prove the result right where the error of
the product does not underflow. The other lanes are done one by one in integers of any size.

See S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
IEEE Transactions on Computers 57 (4), 2008.
"""

from __future__ import annotations

import math
from typing import Final

from transpile.ops.operation import Operation, Result, Way
from transpile.ops.reference import Array, Reference, ufunc

_SPLIT: Final = 134217729.0  # 2**27 + 1: halves a significand of 53 bits
_LARGE: Final = 2.0**990  # below it neither splitting nor summing overflows
_SMALL: Final = 2.0**-900  # a product of at least this has an error that is a double


def fma(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c`, rounded once."""
    import numpy as np

    if a.dtype == np.float32:
        product = a.astype(np.float64) * b.astype(np.float64)
        total, error = _two_sum(product, c.astype(np.float64))
        return _to_odd(total, error).astype(np.float32)
    a, b, c = np.broadcast_arrays(a, b, c)
    return _fma64(a, b, c)


def _fma64(a: Array, b: Array, c: Array) -> Array:
    import numpy as np

    product = a * b
    plain = product + c  # right where an operand is not finite, or a factor is zero
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    open_ = finite & (a != 0) & (b != 0)
    result = np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, plain)
    easy = open_ & (np.abs(a) < _LARGE) & (np.abs(b) < _LARGE) & (np.abs(c) < _LARGE)
    easy &= (np.abs(product) < _LARGE) & (np.abs(product) > _SMALL)
    result = np.where(easy, _boldo_melquiond(a, b, c, product), result)
    hard = open_ & ~easy
    if hard.any():
        result = np.array(result)
        lanes = zip(*(operand[hard].tolist() for operand in (a, b, c)), strict=True)
        result[hard] = [_fma_of_integers(*lane) for lane in lanes]
    return result


def _boldo_melquiond(a: Array, b: Array, c: Array, product: Array) -> Array:
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    middle, low = _two_sum(c, error)
    high, rest = _two_sum(product, middle)
    return high + _to_odd(*_two_sum(low, rest))


def _halves(x: Array) -> tuple[Array, Array]:
    scaled = x * _SPLIT
    high = scaled - (scaled - x)
    return high, x - high


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """The rounded sum and its exact error."""
    total = x + y
    y_part = total - x
    return total, (x - (total - y_part)) + (y - y_part)


def _to_odd(total: Array, error: Array) -> Array:
    """The sum rounded to odd: an inexact one becomes that neighbour of the exact sum whose last bit is 1."""
    import numpy as np

    bits = np.asarray(total).view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & ((bits & 1) == 0)
    away = (error > 0) == (total > 0)
    return np.where(inexact, np.where(away, bits + 1, bits - 1), bits).view(np.float64)


def _fma_of_integers(a: float, b: float, c: float) -> float:
    """Of three finite numbers, exactly: as integers over one power of two, whose quotient Python rounds correctly."""
    (a_top, a_bottom), (b_top, b_bottom), (c_top, c_bottom) = (x.as_integer_ratio() for x in (a, b, c))
    bottom = a_bottom * b_bottom
    top = a_top * b_top * c_bottom + c_top * bottom
    try:
        return top / (bottom * c_bottom)
    except OverflowError:
        return math.inf if top > 0 else -math.inf


def _whole(name: str) -> Reference:
    """A rounding to a whole number; integers are whole."""
    rounded = ufunc(name)

    def reference(*operands: Array) -> Array:
        (x,) = operands
        return rounded(x) if x.dtype.kind == "f" else x

    reference.__name__ = name
    return reference


def _row(
    name: str,
    reference: Reference,
    doc: str,
    *spellings: str,
    arity: int = 1,
    ways: tuple[Way, ...] = ("ends",),
    result: Result = "same",
) -> Operation:
    return Operation(
        name=name,
        arity=arity,
        accepts="float",
        result=result,
        reference=reference,
        symbol=name,
        doc=doc,
        spellings=spellings,
        ways=ways,
    )


def _rounding(name: str, ufunc_name: str, doc: str) -> Operation:
    """To a whole number of the same type, which an integer is already."""
    return Operation(
        name=name,
        arity=1,
        accepts="number",
        result="same",
        reference=_whole(ufunc_name),
        symbol=name,
        doc=doc,
        spellings=(f"tile.{name}",),
        ways=("ends",),
        keeps=("int", "uint"),
    )


FUNCTIONS: Final = (
    _row("sqrt", ufunc("sqrt"), "The square root, correctly rounded; NaN below -0.", "tile.sqrt", "math.sqrt"),
    _row(
        "fma",
        fma,
        "a * b + c, rounded once.",
        "tile.fma",
        "native.fma",
        "math.fma",
        arity=3,
        ways=("ends", "ends", "sum"),
    ),
    _rounding("floor", "floor", "The next whole number below, of the same type."),
    _rounding("ceil", "ceil", "The next whole number above, of the same type."),
    _rounding("round", "rint", "The nearest whole number, half to even, of the same type."),
    _rounding("trunc", "trunc", "The whole number next to it towards 0, of the same type."),
    _row(
        "copysign",
        ufunc("copysign"),
        "The first operand's magnitude with the second's sign.",
        "tile.copysign",
        "math.copysign",
        arity=2,
        ways=("on", "ends"),
    ),
    _row("isnan", ufunc("isnan"), "Whether it is NaN.", "tile.isnan", "math.isnan", result="bool"),
    _row("isinf", ufunc("isinf"), "Whether it is an infinity.", "tile.isinf", "math.isinf", result="bool"),
    _row("isfinite", ufunc("isfinite"), "Whether it is a number.", "tile.isfinite", "math.isfinite", result="bool"),
)
