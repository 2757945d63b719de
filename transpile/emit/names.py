"""What the helpers of a text are called."""

from __future__ import annotations

from typing import Final

from transpile.dtypes import DType

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


def helper_of(op: str, dtype: DType) -> str:
    """The helper that computes `op`; NaN is not among integers, which two operations differ in alone."""
    name = _HELPERS.get(op, op)
    return name if dtype.is_float else name.removesuffix("_number")
