"""How C++ spells the elementwise operations: its own operators and functions, or the helpers of the text."""

from __future__ import annotations

from typing import Final

from transpile.dtypes import DType
from transpile.emit.pieces import ADD, AND, BITS, EQUALITY, MUL, OR, RELATION, SHIFT

SYMBOLS: Final = {
    "add": ("+", ADD),
    "sub": ("-", ADD),
    "mul": ("*", MUL),
    "truediv": ("/", MUL),
    "floordiv": ("/", MUL),
    "mod": ("%", MUL),
    "shl": ("<<", SHIFT),
    "shr": (">>", SHIFT),
    "lt": ("<", RELATION),
    "le": ("<=", RELATION),
    "gt": (">", RELATION),
    "ge": (">=", RELATION),
    "eq": ("==", EQUALITY),
    "ne": ("!=", EQUALITY),
    "and": ("&", BITS),
    "or": ("|", BITS),
    "xor": ("^", BITS),
}
ON_BOOLS: Final = {"and": ("&&", AND), "or": ("||", OR), "xor": ("!=", EQUALITY), "eq": ("==", EQUALITY)}
# Where C++ has no operator that means the same: of integers that may wrap, and of floats.
WRAPPING: Final = frozenset({"add", "sub", "mul", "floordiv", "mod", "shl", "shr"})
WRAPS_UNSIGNED: Final = frozenset({"add", "sub", "mul", "neg"})
FLOORED: Final = frozenset({"floordiv", "mod"})
# What a helper of the text is called where it has not its operation's name; its template is called like it.
_HELPERS: Final = {
    "abs": "absolute",
    "floordiv": "floor_div",
    "mod": "floor_mod",
    "shl": "shift_left",
    "shr": "shift_right",
    "fmax": "maximum_number",
    "fmin": "minimum_number",
    "and": "both",
    "or": "either",
}
_UNSIGNED_HELPERS: Final = {"floordiv": "divide", "mod": "remainder", "shr": "shift_down"}
STANDARD: Final = {
    "abs": "std::fabs",
    "sqrt": "std::sqrt",
    "fma": "std::fma",
    "floor": "std::floor",
    "ceil": "std::ceil",
    "trunc": "std::trunc",
    "round": "std::rint",
    "copysign": "std::copysign",
    "isnan": "std::isnan",
    "isinf": "std::isinf",
    "isfinite": "std::isfinite",
}


def helper_of(op: str, dtype: DType) -> str:
    """The helper that computes `op`; NaN is not among integers, which two operations differ in alone."""
    if dtype.kind == "uint" and op in _UNSIGNED_HELPERS:
        return _UNSIGNED_HELPERS[op]
    name = _HELPERS.get(op, op)
    return name if dtype.is_float else name.removesuffix("_number")
