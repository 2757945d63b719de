"""Drops what has no use from a tile kernel: values that nobody reads, loads among them, and masks that are always
true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ir.walk import end_values, operands_of, result_of
from transpile.lowering.intervals import Interval


def simplify(function: tir.Function, known: Mapping[int, Interval]) -> tir.Function:
    """The same program with less in it. `known` are the ranges of its integers."""
    always = {key for key, interval in known.items() if interval == (1, 1)}
    return replace(function, body=_simplify(function.body, always, set()))


def _simplify(block: tir.Block, always: set[int], live: set[int]) -> tir.Block:
    """`always` are the bits that are set in every lane. `live` are the values read after the block; it grows by those read
    in it."""
    live.update(value.id for value in end_values(block.end))
    kept: list[tir.Op] = []
    for op in reversed(block.ops):
        match op:
            case tir.If():
                op = replace(op, then=_simplify(op.then, always, live), orelse=_simplify(op.orelse, always, live))
            case tir.For():
                op = replace(op, body=_simplify(op.body, always, live))
            case tir.While():
                body = _simplify(op.body, always, live)
                op = replace(op, test=_simplify(op.test, always, live), body=body)
            case tir.Load() if _holds(op.mask, always):
                op = replace(op, mask=None, other=None)
            case tir.Store() if _holds(op.mask, always):
                op = replace(op, mask=None)
            case _:
                pass
        result = result_of(op)
        if result is not None and result.id not in live:
            continue
        live.update(value.id for value in operands_of(op))
        kept.append(op)
    return tir.Block(tuple(reversed(kept)), block.end)


def _holds(mask: Value | None, always: set[int]) -> bool:
    return mask is not None and mask.id in always
