"""Divides the lanes of a loop by one number through its reciprocal, where that is fewer instructions.

The quotient that a correctly rounded reciprocal gives is at most 1.5 units off, and one remainder, which is exact,
corrects it to the nearest (Markstein 1990; Brisebarre, Muller and Raina 2004): a product and two fused steps for each
lane. docs/decisions/017 has the proof, where it holds and what it costs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from transpile.ir import lir, tir
from transpile.ir.rename import Ids
from transpile.ir.tir import Value
from transpile.ir.walk import result_of

if TYPE_CHECKING:
    from typing import TypeGuard

# How many quotients a thread must have by one number to gain by its reciprocal, by the bits of their type.
ENOUGH: Final = {64: 4, 32: 16}


def share_reciprocals(
    body: Sequence[lir.Op], count: int, makers: Mapping[int, lir.Op], ids: Ids
) -> tuple[list[lir.Op], list[lir.Op]]:
    """What stands before a lane loop of `count` turns, and its `body`, with quotients by numbers from outside of it
    that are many enough. `makers` are what scalars of the function are made by."""
    made = {result.id for op in body if (result := result_of(op)) is not None}
    uses: dict[int, int] = defaultdict(int)
    for op in body:
        if _is_quotient(op):
            uses[op.operands[1].id] += 1
    before: list[lir.Op] = []
    inverses: dict[int, Value] = {}
    changed: list[lir.Op] = []
    for op in body:
        if not _is_quotient(op):
            changed.append(op)
            continue
        divisor = op.operands[1]
        enough = uses[divisor.id] * count >= ENOUGH[divisor.type.dtype.bits]
        if divisor.id in made or not enough or _is_power(makers.get(divisor.id)):
            changed.append(op)
            continue
        if divisor.id not in inverses:
            inverses[divisor.id] = ids.fresh(divisor.type)
            before.append(tir.Apply(inverses[divisor.id], "reciprocal", (divisor,), op.span))
        changed.append(tir.Apply(op.result, "divided", (*op.operands, inverses[divisor.id]), op.span))
    return before, changed


def _is_quotient(op: lir.Op) -> TypeGuard[tir.Apply]:
    return isinstance(op, tir.Apply) and op.op == "truediv"


def _is_power(maker: lir.Op | None) -> bool:
    """Whether a divisor is a constant that compilers divide by as exactly by themselves: a power of two."""
    return isinstance(maker, tir.Const) and (maker.value == 0 or abs(math.frexp(maker.value)[0]) in (0.5, math.inf))
