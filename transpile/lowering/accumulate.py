"""Folds that a lane loop makes as it runs: which, and what they start from."""

from __future__ import annotations

from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.lowering.target import TileTarget
from transpile.ops.table import REDUCTIONS


def accumulates(op: tir.Reduce, target: TileTarget) -> bool:
    """Whether a lane loop may fold as it runs: exact in any order, and no loss to the CPU's vectoriser, which takes
    integer sums apart but not a maximum of floats."""
    kind = op.result.type.dtype.kind
    return op.axis is None and kind in REDUCTIONS[op.op].any_order_on and (target.is_gpu or kind != "float")


def start_of(op: tir.Reduce) -> bool | int | float:
    """What a fold starts from: it changes nothing."""
    dtype = op.result.type.dtype
    upward = op.op in ("max", "nanmax")
    match op.op:
        case "sum" | "prod":
            return int(op.op == "prod")
        case "any" | "all":
            return op.op == "all"
        case "max" | "min" | "nanmax" | "nanmin":
            if dtype.kind == "bool":
                return not upward
            if dtype.is_float:
                return float("nan") if op.op.startswith("nan") else float("-inf" if upward else "inf")
            return dtype.min if upward else dtype.max
    raise InternalError("a fold without a start", op)
