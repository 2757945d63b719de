"""The arithmetic operators. Integers wrap; `//` and `%` are Python's floor for integers and floats; nothing raises."""

from __future__ import annotations

import math
import operator
from typing import Final

from transpile.ops.operation import Operation
from transpile.ops.reference import Array, ufunc


def floordiv(x: Array, y: Array) -> Array:
    """Rounds the quotient down. Integers: 0 for a zero divisor, smallest // -1 wraps. Floats: CPython's algorithm."""
    import numpy as np

    if x.dtype.kind != "f":
        return _integer_floordiv(x, y)
    remainder = np.fmod(x, y)
    quotient = (x - remainder) / y
    other_sign = (remainder != 0) & ((y < 0) != (remainder < 0))
    quotient = np.where(other_sign, quotient - x.dtype.type(1), quotient)
    whole = np.floor(quotient)
    whole = np.where(quotient - whole > 0.5, whole + x.dtype.type(1), whole)
    return np.where(quotient == 0, np.copysign(x.dtype.type(0), x / y), whole)


def mod(x: Array, y: Array) -> Array:
    """The remainder of `floordiv`, of the divisor's sign; integers give 0 for a zero divisor, floats NaN."""
    import numpy as np

    if x.dtype.kind != "f":
        special = _without_quotient(y)
        if not special.any():
            return np.remainder(x, y)
        return np.where(special, x.dtype.type(0), np.remainder(x, np.where(special, y.dtype.type(1), y)))
    remainder = np.fmod(x, y)
    other_sign = (y < 0) != (remainder < 0)
    fixed = np.where(other_sign, remainder + y, remainder)
    return np.where(remainder == 0, np.copysign(x.dtype.type(0), y), fixed)


def _integer_floordiv(x: Array, y: Array) -> Array:
    """NumPy's own answers for a zero divisor and for smallest // -1 have changed between versions."""
    import numpy as np

    special = _without_quotient(y)
    if not special.any():
        return np.floor_divide(x, y)
    quotient = np.floor_divide(x, np.where(special, y.dtype.type(1), y))
    return np.where(y == 0, x.dtype.type(0), np.where(special, np.negative(x), quotient))


def _without_quotient(y: Array) -> Array:
    """The divisors 0 and -1."""
    return (y == 0) | (y == -1) if y.dtype.kind == "i" else y == 0


def positive(x: Array) -> Array:
    """The operand itself."""
    return x


def quotient(x: float, y: float) -> float:
    """`x / y` of constants as IEEE 754 has it. Raises OverflowError for an int that is too large for a float."""
    left, right = float(x), float(y)
    if right != 0.0:
        return left / right
    is_nan = left == 0.0 or math.isnan(left)
    return math.nan if is_nan else math.copysign(math.inf, left) * math.copysign(1.0, right)


def floor_quotient(x: float, y: float) -> float:
    """`x // y` of constants."""
    return x // y if y != 0.0 else math.nan


def floor_remainder(x: float, y: float) -> float:
    """`x % y` of constants."""
    return x % y if y != 0.0 else math.nan


ARITHMETIC: Final = (
    Operation(
        name="add",
        arity=2,
        accepts="number",
        result="same",
        reference=ufunc("add"),
        symbol="+",
        doc="The sum.",
        ways=("sum", "sum"),
        integers=operator.add,
        floats=operator.add,
    ),
    Operation(
        name="sub",
        arity=2,
        accepts="number",
        result="same",
        reference=ufunc("subtract"),
        symbol="-",
        doc="The difference.",
        ways=("sum", "sum"),
        integers=operator.sub,
        floats=operator.sub,
    ),
    Operation(
        name="mul",
        arity=2,
        accepts="number",
        result="same",
        reference=ufunc("multiply"),
        symbol="*",
        doc="The product.",
        ways=("ends", "ends"),
        integers=operator.mul,
        floats=operator.mul,
    ),
    Operation(
        name="truediv",
        arity=2,
        accepts="float",
        result="same",
        reference=ufunc("divide"),
        symbol="/",
        doc="The IEEE 754 quotient; integers become f64 first.",
        ways=("ends", "ends"),
        integers=quotient,
        floats=quotient,
    ),
    Operation(
        name="floordiv",
        arity=2,
        accepts="number",
        result="same",
        reference=floordiv,
        symbol="//",
        doc="The quotient rounded down, as in Python; by zero: 0 for integers, NaN for floats.",
        ways=("sum", "ends"),
        integers=operator.floordiv,
        floats=floor_quotient,
    ),
    Operation(
        name="mod",
        arity=2,
        accepts="number",
        result="same",
        reference=mod,
        symbol="%",
        doc="The remainder with the divisor's sign, as in Python; by zero: 0 for integers, NaN for floats.",
        ways=("ends", "sum"),
        integers=operator.mod,
        floats=floor_remainder,
    ),
    Operation(
        name="neg",
        arity=1,
        accepts="number",
        result="same",
        reference=ufunc("negative"),
        symbol="-",
        doc="The negation; the smallest integer stays.",
        ways=("on",),
        integers=operator.neg,
        floats=operator.neg,
    ),
    Operation(
        name="pos",
        arity=1,
        accepts="number",
        result="same",
        reference=positive,
        symbol="+",
        doc="The operand.",
        ways=("on",),
        keeps=("int", "uint", "float"),
        integers=operator.pos,
        floats=operator.pos,
    ),
    Operation(
        name="abs",
        arity=1,
        accepts="number",
        result="same",
        reference=ufunc("absolute"),
        symbol="abs",
        doc="The absolute value; the smallest integer stays.",
        spellings=("tile.abs", "builtin.abs"),
        ways=("on",),
        keeps=("uint",),
        integers=abs,
        floats=abs,
    ),
)
