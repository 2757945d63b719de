"""Constants as C++ writes them: exact, of the right type, nothing said twice."""

from __future__ import annotations

import math
import struct
from typing import Final

from transpile.dtypes import F32, DType

INT_MAX: Final = (1 << 31) - 1
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def integer(value: int, dtype: DType) -> str:
    """An integer literal. What fits an `int` has no suffix; the smallest values have none of their own in C++."""
    if value == dtype.min and dtype.kind == "int":
        return f"{dtype.cxx.upper().removesuffix('_T')}_MIN"
    return str(value)


def is_int(value: int) -> bool:
    """True where the literal's own C++ type is `int`."""
    return -INT_MAX <= value <= INT_MAX


def real(value: float, dtype: DType) -> str:
    """A float literal that reads back as the same bits. Infinities and NaN are macros of <cmath>, of type `float`."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    return f"{_shortest_f32(value)}f" if dtype is F32 else repr(value)


def _shortest_f32(value: float) -> str:
    """The fewest digits that round to this f32, by way of f64 or not."""
    wanted = _f32(value)
    text = next(text for text in (f"{value:.{digits}g}" for digits in range(1, 18)) if _reads_as(float(text), wanted))
    plain = repr(float(text))
    return plain if "e" in plain or "." in plain else f"{plain}.0"


def _reads_as(value: float, wanted: float) -> bool:
    around = (value, math.nextafter(value, -math.inf), math.nextafter(value, math.inf))
    return all(_f32(each) == wanted for each in around)


def _f32(value: float) -> float:
    """The nearest f32, ties to even."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def quoted(text: str) -> str:
    """A C++ string literal of the text's UTF-8."""
    return f'"{"".join(map(_char, text.encode()))}"'.replace("??", "?\\077")  # which could begin a trigraph


def _char(byte: int) -> str:
    char = chr(byte)
    if char in _ESCAPES:
        return _ESCAPES[char]
    # An octal escape ends after three digits, whatever follows.
    return char if 32 <= byte < 127 else f"\\{byte:03o}"
