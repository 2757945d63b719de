"""Powers and functions of the runtime, around operands that are drawn already."""

from __future__ import annotations

from typing import Final

from tests.fuzz.draw import Draw
from transpile.ops.table import OPERATIONS

FUNCTIONS: Final = tuple(
    row.name for row in OPERATIONS.values() if row.in_runtime and row.arity == 1 and f"tile.{row.name}" in row.spellings
)


def applied(draw: Draw, prefix: str, operand: str) -> str:
    """A function of one float, in the dialect that `prefix` is of."""
    return f"{prefix}.{draw.pick(FUNCTIONS)}({operand})"


def raised(draw: Draw, prefix: str, base: str, exponent: str) -> str:
    """A float to a power: to a small constant, another one, or `exponent`."""
    if draw.chance(60):
        return f"({base} ** {draw.pick((2, 0, 1, 3, 6))})"
    power = draw.pick(("0.5", "(-2)", "3.0", "65")) if draw.chance(40) else exponent
    if draw.chance(50):
        return f"({base} ** {power})"
    return f"{'pow' if draw.chance(30) else f'{prefix}.pow'}({base}, {power})"
