"""Atomics whose outcome does not depend on their order: on elements that one thread or lane alone has, or of integers
by operations that come to the same in any order."""

from __future__ import annotations

from typing import Final

from tests.fuzz.draw import Draw
from tests.fuzz.expressions import Scope, expression
from tests.fuzz.kinds import KIND_OF
from tests.fuzz.tile_programs import converted

# f32 is not added to: in a GPU's memory that loses subnormals. Floats are not compared: a NaN's bits are open.
ALONE: Final = {
    "native.i32": ("add", "max", "min", "exch", "cas", "and", "or", "xor"),
    "native.u32": ("add", "max", "min", "exch", "cas", "and", "or", "xor"),
    "int": ("add", "max", "min", "exch", "cas", "and", "or", "xor"),
    "native.u64": ("add", "max", "min", "exch", "cas", "and", "or", "xor"),
    "float": ("add", "max", "min", "exch"),
    "native.f32": ("max", "min", "exch"),
}
TOGETHER: Final = {dtype: ("add", "max", "min", "and", "or", "xor") for dtype in ALONE if KIND_OF[dtype] != "f"}


def operands(scope: Scope, dtype: str, op: str, lanes: int, depth: int) -> str:
    """What `op` takes beside the pointer and the offsets."""
    kind = KIND_OF[dtype]
    count = 2 if op == "cas" else 1
    texts = [converted(scope, expression(scope, kind, lanes, depth), kind, dtype) for _ in range(count)]
    return ", ".join(texts)


def pick_alone(draw: Draw, dtype: str) -> str | None:
    """An operation on an element that nobody else touches; None where the type has none."""
    return draw.pick(ALONE[dtype]) if dtype in ALONE else None


def pick_together(draw: Draw, dtype: str) -> str | None:
    """An operation that many may do to one element at once."""
    return draw.pick(TOGETHER[dtype]) if dtype in TOGETHER else None
