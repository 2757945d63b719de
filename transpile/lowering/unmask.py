"""Drops the masks of a tile kernel that hold in every lane, and with them what other lanes would have got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.lowering.intervals import Interval


def unmask(function: tir.Function, known: Mapping[int, Interval]) -> tir.Function:
    """The same program; `known` are the ranges of its integers and bits."""
    return replace(function, body=_unmask(function.body, known))


def _unmask(block: tir.Block, known: Mapping[int, Interval]) -> tir.Block:
    return tir.Block(tuple(_op(op, known) for op in block.ops), block.end)


def _op(op: tir.Op, known: Mapping[int, Interval]) -> tir.Op:
    match op:
        case tir.If():
            return replace(op, then=_unmask(op.then, known), orelse=_unmask(op.orelse, known))
        case tir.For():
            return replace(op, body=_unmask(op.body, known))
        case tir.While():
            return replace(op, test=_unmask(op.test, known), body=_unmask(op.body, known))
        case tir.Load() if _holds(op.mask, known):
            return replace(op, mask=None, other=None)
        case tir.Store() | tir.Atomic() if _holds(op.mask, known):
            return replace(op, mask=None)
        case _:
            return op


def _holds(mask: Value | None, known: Mapping[int, Interval]) -> bool:
    return mask is not None and known.get(mask.id) == (1, 1)
