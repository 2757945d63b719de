"""The comparisons. With a NaN all are false but `!=`."""

from __future__ import annotations

from typing import Final

from transpile.ops.operation import Operation
from transpile.ops.reference import ufunc


def _row(name: str, ufunc_name: str, symbol: str, doc: str) -> Operation:
    return Operation(
        name=name, arity=2, accepts="number", result="bool", reference=ufunc(ufunc_name), symbol=symbol, doc=doc
    )


COMPARISONS: Final = (
    _row("eq", "equal", "==", "Whether the operands are equal."),
    _row("ne", "not_equal", "!=", "Whether the operands differ; true with a NaN."),
    _row("lt", "less", "<", "Whether the first is less."),
    _row("le", "less_equal", "<=", "Whether the first is less or equal."),
    _row("gt", "greater", ">", "Whether the first is greater."),
    _row("ge", "greater_equal", ">=", "Whether the first is greater or equal."),
)
