"""Known bits are true of the numbers, and comparisons that they decide are gone from the text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.everywhere import Text
from transpile.lowering.bits import UNKNOWN, Bits, apply, of_constant
from transpile.ops.table import OPERATIONS

SOURCE = """
from transpile import cuda, native


@cuda.kernel
def kernel(n: int, a: float, out: native.ptr[float]) -> None:
    if {condition}:
        native.store(out, a)
    else:
        native.store(out, -a)
"""
NUMBERS = st.integers(-9, 9) | st.integers(-(2**31), 2**31 - 1)


def _holds(bits: Bits, number: int) -> bool:
    return number & bits.ones == bits.ones and ~number & bits.zeros == bits.zeros


@st.composite
def known(draw: st.DrawFn) -> tuple[Bits, int]:
    """A number, and some of its bits."""
    number, seen = draw(NUMBERS), draw(NUMBERS)
    return Bits(number & seen, ~number & seen), number


@given(st.sampled_from(("pos", "invert", "neg", "or", "and", "xor", "add", "maximum", "minimum")), known(), known())
def test_what_rows_leave_known(op: str, left: tuple[Bits, int], right: tuple[Bits, int]) -> None:
    operands = [left, right][: OPERATIONS[op].arity]
    result = OPERATIONS[op].reference(*(np.array([number], np.int32) for _, number in operands))
    assert _holds(apply(op, [bits for bits, _ in operands]), int(result[0]))


@given(known(), known())
def test_different_numbers(left: tuple[Bits, int], right: tuple[Bits, int]) -> None:
    if left[0].differs(right[0]):
        assert left[1] != right[1]
    assert of_constant(left[1]).differs(of_constant(right[1])) == (left[1] != right[1])
    assert not UNKNOWN.differs(left[0])


def _conditions(condition: str) -> list[str]:
    """The `if`s that are left of one in a kernel."""
    text = Text(SOURCE.format(condition=condition), "program").emitted("cpu")
    body = text[text.index("void kernel(") :].partition("\n}\n")[0]
    return [line for line in body.split("\n") if "if (" in line.partition("//")[0] or " ? " in line.partition("//")[0]]


@pytest.mark.parametrize(
    "condition",
    ["bool(n | 3)", "(n | 3) != 0", "((n & 4) | 8) == 4", "(max(n, 5) | 1) == 2", "(~(n & 4)) == 0", "not n | 1"],
)
def test_a_comparison_that_bits_decide_is_gone(condition: str) -> None:
    assert not _conditions(condition)


@pytest.mark.parametrize("condition", ["bool(n & 3)", "(n | 3) == 3", "(n & 4) == 4", "(n ^ 3) == 0"])
def test_others_stay(condition: str) -> None:
    assert _conditions(condition)
