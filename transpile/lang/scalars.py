"""Numbers that go to a launch or into an array: bool becomes int, int becomes float, never the other way. NumPy's
scalars and arrays of no dimension count; a value outside the type is refused. The compiled engine says the same."""

from __future__ import annotations

import operator
from typing import Final

from transpile.dtypes import I64, DType, Number
from transpile.rounding import nearest, overflows

_WANTED: Final = {"bool": "a bool", "int": "an int", "uint": "an int", "float": "a float"}


def convert_scalar(value: object, dtype: DType, what: str) -> Number:
    """The number that `value` is, as `dtype`; `what` begins the message. Raises TypeError or OverflowError."""
    if type(value) is float and dtype.name == "f64":
        return value
    number = _number(value)
    if (
        number is None
        or (dtype.kind == "bool" and not isinstance(number, bool))
        or (dtype.is_integer and isinstance(number, float))
    ):
        raise TypeError(f"{what} must be {_WANTED[dtype.kind]}, not {type(value).__name__}")
    if dtype.kind == "bool":
        return number
    if dtype.is_integer:
        whole = int(number)
        if not dtype.min <= whole <= dtype.max:
            raise _out_of_range(whole, dtype, what)
        return whole
    if overflows(number, dtype):
        raise _out_of_range(number, dtype, what)
    return nearest(number, dtype)


def convert_element(value: object, dtype: DType, what: str) -> Number:
    """The number that a store of `value` leaves: as `convert_scalar`, but an int wraps, and a narrow float overflows.

    Raises TypeError, and OverflowError for what no kernel could hold either.
    """
    if dtype.is_integer:
        number = _number(value)
        if number is None or isinstance(number, float):
            raise TypeError(f"{what} must be an int, not {type(value).__name__}")
        whole = int(number)
        widest = dtype if dtype.bits == 64 else I64
        if not I64.min <= whole <= widest.max:
            raise OverflowError(f"{what} is outside of {widest.numpy}")
        return (whole - dtype.min) % (1 << dtype.bits) + dtype.min
    if dtype.name in ("bool", "f64"):
        return convert_scalar(value, dtype, what)
    number = _number(value)
    if number is None:
        raise TypeError(f"{what} must be a float, not {type(value).__name__}")
    return nearest(number, dtype)


def _number(value: object) -> Number | None:
    if isinstance(value, bool | int | float):
        return value
    if hasattr(value, "__array_interface__") and getattr(value, "shape", None) == ():
        item = value.item()  # type: ignore[attr-defined]
        return item if isinstance(item, bool | int | float) else None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _out_of_range(number: Number, dtype: DType, what: str) -> OverflowError:
    if isinstance(number, int) and not -(1 << 63) <= number < 1 << 63:
        return OverflowError(f"{what} is outside of {dtype.numpy}")  # its digits may be thousands
    return OverflowError(f"{what} is {number}, outside of {dtype.numpy}")
