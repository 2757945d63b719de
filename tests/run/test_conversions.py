"""All conversions, at every value where one can go wrong: the reference against a judge, the emitted C++ against it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.run import conversions
from tests.run.matrix import edge_values
from tests.support.bits import array_of, different
from tests.support.everywhere import TARGETS, Step, Target, Text, check_everywhere
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert


@pytest.fixture(scope="module")
def casts() -> Text:
    return conversions.casts()


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_the_reference_converts_as_the_judge_says(source: DType) -> None:
    values = conversions.values_of(source)
    for to in dtypes.ALL:
        with np.errstate(all="ignore"):
            found, expected = convert(values, source, to), conversions.judged(values, source, to)
            wrong = np.flatnonzero(different(array_of(expected, to), array_of(found, to)))
        assert not wrong.size, f"{source} to {to}: {values[wrong[:4]]!r} gives {found[wrong[:4]]!r}"


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_the_emitted_text_converts_like_the_reference(source: DType, casts: Text) -> None:
    found = conversions.mismatches(casts, TARGETS[0], source)
    assert not any(found.values()), {str(to): count for to, count in found.items() if count}


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_edges_convert_everywhere(source: DType, casts: Text, targets: Sequence[Target]) -> None:
    arrays = {"a": array_of(np.resize(edge_values(source), conversions.LANES), source)}
    arrays |= {f"to_{to}": array_of(np.zeros(conversions.LANES, to.held), to) for to in dtypes.ALL}
    check_everywhere(casts, [Step(f"cast_{source}", (1,), None, tuple(arrays))], arrays, targets)
