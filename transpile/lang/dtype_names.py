"""The element types as users write them, when a program runs: `float`, `native.f32`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.dtypes import DType


def _type(dtype: DType) -> type:
    """What stands for a row in annotations. It has no instances that mean anything."""
    return type(dtype.name, (), {"__module__": "transpile.lang.native", "__doc__": f"The element type {dtype.name}."})


NATIVE: Final[Mapping[str, type]] = {row.name: _type(row) for row in dtypes.ALL if row is not dtypes.BOOL}
_DTYPES: Final[Mapping[object, DType]] = {
    bool: dtypes.PYTHON["bool"],
    int: dtypes.PYTHON["int"],
    float: dtypes.PYTHON["float"],
    **{written: dtypes.BY_NAME[name] for name, written in NATIVE.items()},
}


def dtype_named(name: object) -> DType:
    """The row of a type as written. Raises TypeError."""
    try:
        found = _DTYPES.get(name)
    except TypeError:  # a list, say, has no hash
        found = None
    if found is None:
        shown = getattr(name, "__name__", None) or repr(name)
        raise TypeError(f"{shown} is not an element type; write {dtypes.written_names()}")
    return found
