"""Shuffles where one thread walks the others: they read the slot of another thread of the group of 32."""

from __future__ import annotations

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import kir

_LAST = 31


def read_slot(shuffle: kir.Shuffle, thread: kir.Var, lane: kir.Var) -> kir.Slot:
    """What a shuffle of a slot reads. Masks, deltas and lanes count modulo 32; past the group's end a thread reads its
    own."""
    own = shuffle.operand
    if not isinstance(own, kir.Slot):
        raise InternalError("a shuffle on the CPU reads a slot", shuffle)
    amount = _modulo(shuffle.lane)
    match shuffle.kind:
        case "xor":
            return kir.Slot(own.var, _apply("xor", own.index, amount))
        case "idx":
            start = None if own.index == lane else _apply("sub", thread, lane)
            return kir.Slot(own.var, amount if start is None else _apply("add", start, amount))
        case "up":
            source = _apply("sub", own.index, amount)
            inside = kir.Apply("ge", (lane, amount), dtypes.BOOL)
        case "down":
            source = _apply("add", own.index, amount)
            inside = kir.Apply("le", (lane, _apply("sub", _number(_LAST), amount)), dtypes.BOOL)
    return kir.Slot(own.var, kir.Apply("where", (inside, source, own.index), dtypes.I64))


def _modulo(amount: kir.Expr) -> kir.Expr:
    if isinstance(amount, kir.Lit):
        return _number(int(amount.value) & _LAST)
    return kir.Apply("and", (amount, _number(_LAST)), dtypes.I64, exact=True)


def _number(value: int) -> kir.Lit:
    return kir.Lit(value, dtypes.I64)


def _apply(op: str, left: kir.Expr, right: kir.Expr) -> kir.Expr:
    if op == "sub" and isinstance(left, kir.Lit) and isinstance(right, kir.Lit):
        return _number(int(left.value) - int(right.value))
    return kir.Apply(op, (left, right), dtypes.I64, exact=True)
