"""All operations and reductions by name: the one table that the checker, folding, the interpreter, the documentation
and the tests read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.arith import ARITHMETIC
from transpile.ops.compare import COMPARISONS
from transpile.ops.composite import COMPOSITE_ROWS, Composite
from transpile.ops.divide import DIVISIONS
from transpile.ops.functions.table import MATHEMATICS
from transpile.ops.logic import LOGIC
from transpile.ops.math import FUNCTIONS
from transpile.ops.operation import Operation, Reduction
from transpile.ops.reduce import REDUCTION_ROWS
from transpile.ops.scan import SCAN_ROWS
from transpile.ops.select import SELECTIONS

OPERATIONS: Final[Mapping[str, Operation]] = {
    row.name: row for row in (*ARITHMETIC, *COMPARISONS, *LOGIC, *SELECTIONS, *FUNCTIONS, *MATHEMATICS, *DIVISIONS)
}
REDUCTIONS: Final[Mapping[str, Reduction]] = {row.name: row for row in REDUCTION_ROWS}
SCANS: Final[Mapping[str, Reduction]] = {row.name: row for row in SCAN_ROWS}
COMPOSITES: Final[Mapping[str, Composite]] = {row.name: row for row in COMPOSITE_ROWS}


def accumulator(row: Reduction, dtype: DType) -> DType:
    """The element type in which `row` folds lanes of `dtype`. The result has it too, but where `row` keeps the type:
    there it becomes `dtype` again, which loses nothing."""
    if row.accumulate == "bool":
        return dtypes.BOOL
    if row.accumulate == "same" or dtype.is_float:
        return dtype.computing
    return dtypes.U64 if dtype.kind == "uint" else dtypes.I64
