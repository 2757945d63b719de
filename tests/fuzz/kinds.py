"""The kinds of values that the generator tells apart, their types as kernels spell them, and literals of each.

`b` bool, `n` an i32 or what computes in it, `i` an i64, `u` a u32, `w` a u64, `f` a float of any width (the
checker knows which).
"""

from __future__ import annotations

from typing import Final, Literal

Kind = Literal["b", "n", "i", "u", "w", "f"]
Dialect = Literal["tile", "thread", "device"]
NUMBERS: Final[tuple[Kind, ...]] = ("f", "i", "n", "f", "i", "u", "w")
INTEGERS: Final[tuple[Kind, ...]] = ("i", "n", "u", "w")
DTYPE_OF: Final[dict[Kind, str]] = {
    "b": "bool", "n": "native.i32", "i": "int", "u": "native.u32", "w": "native.u64", "f": "float",
}  # fmt: skip
NARROW_INTEGERS: Final = ("native.i8", "native.i16", "native.u8", "native.u16")
FLOATS: Final = ("float", "native.f32", "native.f16", "native.bf16", "native.f8e4m3", "native.f8e5m2")
KIND_OF: Final[dict[str, Kind]] = {
    **{dtype: kind for kind, dtype in DTYPE_OF.items()},
    **dict.fromkeys(NARROW_INTEGERS, "n"),
    **dict.fromkeys(FLOATS, "f"),
}
NARROW_LITERALS: Final = ("1", "0", "2", "3", "-1", "-4", "13", "31", "32", "SEVEN", "2147483647", "-2147483648")
UNSIGNED_LITERALS: Final = ("1", "0", "2", "3", "13", "31", "32", "SEVEN", "2147483648", "4294967295")
WIDE_LITERALS: Final = (*NARROW_LITERALS, "63", "64", "BIG", "(1 << 62)", "9223372036854775807", "-(2**63)")
FLOAT_LITERALS: Final = (
    "1.0", "0.0", "-0.0", "0.5", "2.0", "-3.0", "0.1", "TENTH", "INF", "-INF", "NAN", "1e300", "5e-324", "1e-40",
    "3.5e38", "math.pi", "16777217.0", "-1.5", "9.3e18", "2.5",
)  # fmt: skip
DIVISORS: Final = ("2.0", "-2.5", "0.1", "INF", "3.0", "-1e-300", "1e308")
