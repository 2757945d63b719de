"""The element types as users write them, when a program runs: `float`, `native.f32`."""

from __future__ import annotations

from typing import Final

from transpile import dtypes
from transpile.dtypes import DType


class f32:  # noqa: N801 - a type as users spell it
    """A 32-bit float."""

    __module__ = "transpile.lang.native"


class f64:  # noqa: N801
    """A 64-bit float, as `float` is."""

    __module__ = "transpile.lang.native"


class i32:  # noqa: N801
    """A signed 32-bit integer."""

    __module__ = "transpile.lang.native"


class i64:  # noqa: N801
    """A signed 64-bit integer, as `int` is."""

    __module__ = "transpile.lang.native"


DTYPES: Final[dict[object, DType]] = {
    bool: dtypes.BOOL,
    int: dtypes.I64,
    float: dtypes.F64,
    i32: dtypes.I32,
    i64: dtypes.I64,
    f32: dtypes.F32,
    f64: dtypes.F64,
}


def dtype_named(name: object) -> DType:
    """The row of a type as written. Raises TypeError."""
    found = DTYPES.get(name)
    if found is None:
        shown = getattr(name, "__name__", None) or repr(name)
        raise TypeError(f"{shown} is not an element type; write int, float, bool, native.i32 or native.f32")
    return found
