"""Constants as C++ writes them: exact, of the right type, nothing said twice."""

from __future__ import annotations

import math
from typing import Final

from transpile.dtypes import F32, F64, DType
from transpile.rounding import bits_of, nearest
from transpile.typing.types import TypeParameter

INT_MAX: Final = (1 << 31) - 1
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def integer(value: int, dtype: DType) -> str:
    """An integer literal. What fits an `int` has no suffix; the smallest values have no literal of their own in C++."""
    if value == dtype.min and dtype.kind == "int":
        return f"{dtype.cxx.upper().removesuffix('_T')}_MIN"
    return f"{value}{dtype.suffix}"


def is_int(value: int) -> bool:
    """True where the literal's own C++ type is `int`."""
    return -INT_MAX <= value <= INT_MAX


def real(value: float, dtype: DType) -> str:
    """A float literal that reads back as the same bits. Infinities and NaN are macros of <cmath>, of type `float`."""
    if isinstance(dtype, TypeParameter):
        return f"{dtype.cxx}({real(value, F32 if nearest(value, F32) == value else F64)})"
    if dtype.is_narrow_float:
        return f"{dtype.cxx}{{0x{bits_of(value, dtype):0{dtype.bits // 4}x}}}"
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    return f"{_shortest(value, dtype)}{dtype.suffix}" if dtype.suffix else repr(value)


def _shortest(value: float, dtype: DType) -> str:
    """The fewest digits that round to this number of a type narrower than f64, by way of f64 or not."""
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    plain = repr(float(next(text for text in texts if _reads_as(float(text), nearest(value, dtype), dtype))))
    return plain if "e" in plain or "." in plain else f"{plain}.0"


def _reads_as(value: float, wanted: float, dtype: DType) -> bool:
    around = (value, math.nextafter(value, -math.inf), math.nextafter(value, math.inf))
    return all(nearest(each, dtype) == wanted for each in around)


def quoted(text: str) -> str:
    """A C++ string literal of the text's UTF-8."""
    return f'"{"".join(map(_char, text.encode()))}"'.replace("??", "?\\077")  # which could begin a trigraph


def _char(byte: int) -> str:
    char = chr(byte)
    if char in _ESCAPES:
        return _ESCAPES[char]
    # An octal escape ends after three digits, whatever follows.
    return char if 32 <= byte < 127 else f"\\{byte:03o}"
