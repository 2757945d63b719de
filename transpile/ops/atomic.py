"""The atomic operations: each changes one element as a single access and gives what stood there before.

Their order is left open (language.md, Atomics): of the threads that meet at one element, any may come first. What an
operation makes of the old element and the value is the elementwise row `combine`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from transpile.dtypes import DType


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomicOperation:
    """`combine` names the elementwise row that joins the old element and the value, empty where the value is written as
    it is (for `compares`, only over an element of the same bits as `compare`). `on` are the element types: `number`
    (integers and floats of 32 or 64 bits) or `integer` of these. `any_order` says on which kinds the result does not
    depend on the order of several."""

    name: str
    combine: str
    on: Literal["number", "integer"]
    doc: str
    any_order: tuple[str, ...] = ("int", "uint", "float")
    compares: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        return (f"cuda.atomic_{self.name}", f"tile.atomic_{self.name}")

    @property
    def parameters(self) -> tuple[str, ...]:
        """What a user may call the operands."""
        return ("compare", "value") if self.compares else ("value",)

    def takes(self, dtype: DType) -> bool:
        """Whether memory of `dtype` can be changed so, on every target."""
        if dtype.bits not in (32, 64) or dtype.computes_in:
            return False
        return dtype.is_integer or (dtype.is_float and self.on == "number")


ATOMIC_ROWS: Final = (
    AtomicOperation(
        name="add",
        combine="add",
        on="number",
        any_order=("int", "uint"),
        doc="Adds `value` to the element; integers wrap.",
    ),
    AtomicOperation(
        name="max",
        combine="maximum",
        on="number",
        doc="Leaves the larger of the element and `value`: any NaN gives NaN, +0 is above -0.",
    ),
    AtomicOperation(
        name="min",
        combine="minimum",
        on="number",
        doc="Leaves the smaller of the element and `value`: any NaN gives NaN, +0 is above -0.",
    ),
    AtomicOperation(
        name="exch",
        combine="",
        on="number",
        any_order=(),
        doc="Leaves `value` in the place of the element.",
    ),
    AtomicOperation(
        name="cas",
        combine="",
        on="number",
        any_order=(),
        doc="Leaves `value` where the element has the bits of `compare`, and otherwise the element.",
        compares=True,
    ),
    AtomicOperation(name="and", combine="and", on="integer", doc="Leaves the bits that both have."),
    AtomicOperation(name="or", combine="or", on="integer", doc="Leaves the bits that either has."),
    AtomicOperation(name="xor", combine="xor", on="integer", doc="Leaves the bits that one of the two has."),
)
ATOMICS: Final[Mapping[str, AtomicOperation]] = {row.name: row for row in ATOMIC_ROWS}
