"""The comparisons. With a NaN all are false but `!=`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from transpile.dtypes import Number
from transpile.ops.operation import Operation
from transpile.ops.reference import ufunc


def _row(exact: Callable[[Number, Number], bool], ufunc_name: str, symbol: str, doc: str) -> Operation:
    return Operation(
        name=exact.__name__,
        arity=2,
        accepts="number",
        result="bool",
        reference=ufunc(ufunc_name),
        symbol=symbol,
        doc=doc,
        ways=("ends", "ends"),
        integers=exact,
        floats=exact,
    )


COMPARISONS: Final = (
    _row(operator.eq, "equal", "==", "Whether the operands are equal."),
    _row(operator.ne, "not_equal", "!=", "Whether the operands differ; true with a NaN."),
    _row(operator.lt, "less", "<", "Whether the first is less."),
    _row(operator.le, "less_equal", "<=", "Whether the first is less or equal."),
    _row(operator.gt, "greater", ">", "Whether the first is greater."),
    _row(operator.ge, "greater_equal", ">=", "Whether the first is greater or equal."),
)
